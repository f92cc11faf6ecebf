"""Which file under `policies/` is what. The directory decides the kind; nothing is skipped."""

import re
from functools import lru_cache

from agentpolicy.documents.document import DocumentKind

POLICIES = "policies"
ROLES_PATH = "policies/roles.yaml"
TOOLS_PATH = "policies/tools.yaml"
APPROVALS = "policies/approvals/"

_NAME = r"[a-z0-9][a-z0-9._-]*"
_SHAPES: tuple[tuple[DocumentKind, re.Pattern[str]], ...] = (
    (DocumentKind.ROLES, re.compile(r"policies/roles\.yaml")),
    (DocumentKind.TOOLS, re.compile(r"policies/tools\.yaml")),
    (DocumentKind.BAND, re.compile(rf"policies/bands/{_NAME}\.yaml")),
    (DocumentKind.BUDGET, re.compile(rf"policies/budgets/{_NAME}\.yaml")),
    (DocumentKind.BASELINE, re.compile(rf"policies/baselines/{_NAME}\.yaml")),
    (DocumentKind.WAIVER, re.compile(rf"policies/waivers/(closed/[0-9]{{4}}/)?{_NAME}\.yaml")),
)
_CLOSED = re.compile(rf"policies/waivers/closed/[0-9]{{4}}/{_NAME}\.yaml")
_APPROVAL = re.compile(r"policies/approvals/([0-9a-f]{2})/([0-9a-f]{64})\.json")
_WITHDRAWAL = re.compile(rf"policies/approvals/withdrawn/{_NAME}/[0-9a-f]{{64}}\.json")


@lru_cache(4096)
def kind_of(path: str) -> DocumentKind | None:
    """Say which kind of document a path holds; None where no document may be."""
    for kind, shape in _SHAPES:
        if shape.fullmatch(path):
            return kind
    return None


def is_closed(path: str) -> bool:
    """Say whether a path is where a waiver lies that was closed."""
    return _CLOSED.fullmatch(path) is not None


def is_approval(path: str) -> bool:
    """Say whether a path is where a stored approval, or the withdrawal of one, belongs."""
    found = _APPROVAL.fullmatch(path)
    if found is None:
        return _WITHDRAWAL.fullmatch(path) is not None
    return found[2].startswith(found[1])


def approval_path(statement_digest: str) -> str:
    """Give the path of an approval from the digest (`sha256:…`) of the statement it carries."""
    hexadecimal = statement_digest.removeprefix("sha256:")
    return f"{APPROVALS}{hexadecimal[:2]}/{hexadecimal}.json"


def withdrawal_path(person: str, statement_digest: str) -> str:
    """Give the path where a person takes back the approval with this digest (`sha256:…`).

    It follows from the approval alone, so that nobody else can take the place, and one look tells.
    """
    return f"{APPROVALS}withdrawn/{person}/{statement_digest.removeprefix('sha256:')}.json"


def is_governed(path: str) -> bool:
    """Say whether a path lies under `policies/`, in any spelling of its case."""
    return path.casefold() == POLICIES or path.casefold().startswith(POLICIES + "/")
