"""Begins a policy repository: writes the trust root and an empty catalogue, and sets the pin."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.layout import ROLES_PATH, TOOLS_PATH
from agentpolicy.gitio.refs import head
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.keys import PublicKey, parse_public_key
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.codeowners import write_codeowners
from agentpolicy.workflows.policy_chain import PIN_SETTING
from agentpolicy.workflows.surroundings import (
    CI_FILES,
    CiHost,
    editor_line,
    require_free,
    write_ci,
    write_editor_schemas,
)

TOOLS = "tools_version: 1\ntools: {}   # a tool that is not listed counts as destructive\n"


@dataclass(frozen=True, slots=True)
class Founders:
    """Who may sign what from the beginning."""

    people: Mapping[str, Path]
    """Each person's public key file."""
    platform_owners: Sequence[str]
    reviewers: Sequence[str]
    gate: Sequence[str]
    owners: Mapping[str, Sequence[str]]
    """Who owns which document, `bands/refund-agent`."""
    ci: CiHost | None = None
    """Where proposed changes are checked; its file is guarded from the beginning."""


@dataclass(frozen=True, slots=True)
class Initialised:
    """What was written, and the pin to give to servers and CI."""

    written: tuple[str, ...]
    """The policies, which `sign` stages."""
    around: tuple[str, ...]
    """What stands around them and is staged by hand."""
    pin: Pin


def initialise(repository: Repository, founders: Founders, repository_id: str) -> Initialised:
    """Write the first roles.yaml and tools.yaml, what stands around them, and set the pin.

    In a repository with history the pin names the present commit: what came before is not judged.

    Raises:
        InputError: there is a trust root already, or what was asked for contradicts itself.
    """
    if repository.top is None:
        raise InputError(
            Problem("no-work-tree", "a bare repository has no files to write", "git clone URL")
        )
    root = repository.top / ROLES_PATH
    if root.exists():
        raise InputError(
            Problem(
                "already-there", "there is a trust root already", "agentpolicy diff", ROLES_PATH
            )
        )
    at = head(repository)
    if at.ref is None:
        raise InputError(
            Problem("detached", "no branch is checked out to hold the policies", "git switch main")
        )
    if founders.ci:
        require_free(repository.top, founders.ci)
    data = _roles_text(founders, at.ref, repository_id).encode("utf-8")
    authority_of(read_document(ROLES_PATH, data))
    pin = Pin(digest(data), 1, at.ref, at.oid)
    root.parent.mkdir(exist_ok=True)
    root.write_bytes(data)
    written = [ROLES_PATH]
    if not (repository.top / TOOLS_PATH).exists():
        tools = editor_line(DocumentKind.TOOLS, TOOLS_PATH) + TOOLS
        (repository.top / TOOLS_PATH).write_text(tools, encoding="utf-8")
        written.append(TOOLS_PATH)
    around = _surround(repository, founders, at.ref)
    repository.set_config(PIN_SETTING, str(pin))
    return Initialised(tuple(written), around, pin)


def _surround(repository: Repository, founders: Founders, policy_ref: str) -> tuple[str, ...]:
    """Write the CI check, CODEOWNERS and the schemas for editors; give their paths."""
    assert repository.top is not None
    check = write_ci(repository.top, founders.ci, policy_ref) if founders.ci else None
    owners = write_codeowners(repository)
    schemas = write_editor_schemas(repository.top)
    return tuple(path for path in (check, owners, schemas) if path)


def _roles_text(founders: Founders, policy_ref: str, repository_id: str) -> str:
    """Write the trust root as people read it, one person a line."""
    lines = [
        editor_line(DocumentKind.ROLES, ROLES_PATH).rstrip("\n"),
        "roles_version: 1",
        # Quoted: hex digits that happen to spell a number would be read as one.
        f'repository: "{repository_id}"   # approvals are bound to this id',
        f"protected: [{policy_ref}]   # the first is the policy ref, the only one in force",
        *([f"guarded: [{CI_FILES[founders.ci]}]"] if founders.ci else []),
        "people:",
        *(f"  {name}: {_person(name, path)}" for name, path in founders.people.items()),
        "roles:",
        *_role("platform-owner", founders.platform_owners),
        *_role("reviewer", founders.reviewers),
        *_role("gate", founders.gate),
    ]
    if founders.owners:
        owned = sorted(founders.owners.items())
        lines += ["owners:", *(f"  {name}: [{', '.join(who)}]" for name, who in owned)]
    return "\n".join(lines) + "\n"


def _person(name: str, path: Path) -> str:
    key = public_key_in(name, path)
    return f'{{handle: "@{name}", keys: [{{public: "{key.line}", since: 1}}]}}'


def public_key_in(name: str, path: Path) -> PublicKey:
    """Read a person's public key file.

    Raises:
        InputError: it cannot be read, or holds no key that is accepted.
    """
    try:
        return parse_public_key(path.read_text(encoding="utf-8"))
    except OSError as error:
        private = str(path).removesuffix(".pub")
        words = f"the public key of {name}, {path}, cannot be read: {error.strerror}"
        hint = f"ssh-keygen -t ed25519 -f {shlex.quote(private)}"
        raise InputError(Problem("key-missing", words, hint)) from error
    except ValueError as error:
        raise InputError(
            Problem("key-unreadable", f"{path} is no public key: {error}", "ls ~/.ssh/*.pub")
        ) from error


def _role(name: str, people: Sequence[str]) -> list[str]:
    return [f"  {name}: {{people: [{', '.join(people)}], threshold: 1}}"] if people else []
