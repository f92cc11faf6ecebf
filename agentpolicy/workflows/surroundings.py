"""What `init` writes around the policies: the CI check, and schemas that editors understand."""

from enum import StrEnum
from pathlib import Path

from agentpolicy import __version__
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import DocumentKind
from agentpolicy.gitio.refs import LOG_REF

TEMPLATES = Path(__file__).parent / "ci"
SCHEMAS = Path(__file__).parent.parent / "schemas"
EDITOR_SCHEMAS = ".agentpolicy/schemas"
"""Copies for editors. No decision reads them: schemas come from the installed package."""


class CiHost(StrEnum):
    """Where the check of a proposed change runs."""

    GITHUB = "github"
    GITLAB = "gitlab"


CI_FILES = {
    CiHost.GITHUB: ".github/workflows/agentpolicy.yml",
    CiHost.GITLAB: ".gitlab-ci.yml",
}
"""Where each host looks for the check."""


def ci_text(host: CiHost, policy_ref: str) -> str:
    """Give the CI file that asks `agentpolicy check` about every change proposed to a branch."""
    text = (TEMPLATES / f"{host}.yml").read_text(encoding="utf-8")
    text = text.replace("@VERSION@", __version__).replace("@LOG@", LOG_REF)
    return text.replace("@BRANCH@", policy_ref.removeprefix("refs/heads/"))


def require_free(top: Path, host: CiHost) -> None:
    """Refuse to write over a CI file that is there already.

    Raises:
        InputError: with where to find the lines to put in by hand.
    """
    if (top / CI_FILES[host]).exists():
        words = f"{CI_FILES[host]} is there already, and would be written over"
        hint = f"move it aside, init again, then join both: {CI_FILES[host]}"
        raise InputError(Problem("already-there", words, hint, CI_FILES[host]))


def write_ci(top: Path, host: CiHost, policy_ref: str) -> str:
    """Write the CI file; give its path."""
    place = top / CI_FILES[host]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(ci_text(host, policy_ref), encoding="utf-8")
    return CI_FILES[host]


def editor_line(kind: DocumentKind, path: str) -> str:
    """Give the first line of a document by which editors find its schema."""
    up = "../" * path.count("/")
    return f"# yaml-language-server: $schema={up}{EDITOR_SCHEMAS}/{kind}.schema.json\n"


def write_editor_schemas(top: Path) -> str:
    """Copy the schemas of every kind of document; give their folder."""
    folder = top / EDITOR_SCHEMAS
    folder.mkdir(parents=True, exist_ok=True)
    for kind in DocumentKind:
        name = f"{kind}.schema.json"
        (folder / name).write_bytes((SCHEMAS / name).read_bytes())
    return f"{EDITOR_SCHEMAS}/"
