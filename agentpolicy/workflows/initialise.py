"""Begins a policy repository: writes the trust root and an empty catalogue, and sets the pin."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.layout import ROLES_PATH, TOOLS_PATH
from agentpolicy.gitio.refs import head
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.keys import parse_public_key
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.policy_chain import PIN_SETTING

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


@dataclass(frozen=True, slots=True)
class Initialised:
    """What was written, and the pin to give to servers and CI."""

    written: tuple[str, ...]
    pin: Pin


def initialise(repository: Repository, founders: Founders, repository_id: str) -> Initialised:
    """Write the first roles.yaml and tools.yaml and set the pin.

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
    data = _roles_text(founders, at.ref, repository_id).encode("utf-8")
    authority_of(read_document(ROLES_PATH, data))
    pin = Pin(digest(data), 1, at.ref, at.oid)
    root.parent.mkdir(exist_ok=True)
    root.write_bytes(data)
    written = [ROLES_PATH]
    if not (repository.top / TOOLS_PATH).exists():
        (repository.top / TOOLS_PATH).write_text(TOOLS, encoding="utf-8")
        written.append(TOOLS_PATH)
    repository.set_config(PIN_SETTING, str(pin))
    return Initialised(tuple(written), pin)


def _roles_text(founders: Founders, policy_ref: str, repository_id: str) -> str:
    """Write the trust root as people read it, one person a line."""
    lines = [
        "roles_version: 1",
        # Quoted: hex digits that happen to spell a number would be read as one.
        f'repository: "{repository_id}"   # approvals are bound to this id',
        f"protected: [{policy_ref}]   # the first is the policy ref, the only one in force",
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
    try:
        key = parse_public_key(path.read_text(encoding="utf-8"))
    except OSError as error:
        private = str(path).removesuffix(".pub")
        words = f"the public key of {name}, {path}, cannot be read: {error.strerror}"
        hint = f"ssh-keygen -t ed25519 -f {shlex.quote(private)}"
        raise InputError(Problem("key-missing", words, hint)) from error
    except ValueError as error:
        raise InputError(
            Problem("key-unreadable", f"{path} is no public key: {error}", "ls ~/.ssh/*.pub")
        ) from error
    return f'{{handle: "@{name}", keys: [{{public: "{key.line}", since: 1}}]}}'


def _role(name: str, people: Sequence[str]) -> list[str]:
    return [f"  {name}: {{people: [{', '.join(people)}], threshold: 1}}"] if people else []
