"""A repository with many commits that touch policies, every one really signed."""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from agentpolicy import RULE_SET
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import DAY, Instant, parse_instant
from agentpolicy.documents.layout import ROLES_PATH, approval_path
from agentpolicy.gitio.signing import load_signer
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    ApprovalRole,
    ApprovalStatement,
    Covered,
    Operation,
)
from agentpolicy.trust.envelope import parse_envelope, seal
from agentpolicy.trust.pin import Pin
from tests import written
from tests.policy_repo import KEYS, PolicyRepo
from tests.repositories import GitRepository, make_repository

AGENTS = 20
LOOSER_EVERY = 5
"""Every so many commits one loosens, and carries a second signature."""
REPOSITORY = "0" * 32
REF = "refs/heads/main"
ISSUED = parse_instant("2026-01-01T00:00:00Z")
BAND = written.BAND.replace("band_version: 7", "band_version: {version}").replace(
    "max: 1.4", "max: {most}"
)
"""The band printed in the sources, with its version."""


def make_history(path: Path, commits: int) -> tuple[GitRepository, Pin, int]:
    """Make a repository in which each commit after the first changes a band; count approvals."""
    repository = make_repository(path)
    writer = _Writer()
    stream = b"".join(writer.commits(commits))
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=path, env=dict(repository.environ), input=stream, check=True, capture_output=True,
    )  # fmt: skip
    repository.git("repack", "-q", "-a", "-d")
    repository.git("config", "agentpolicy.root", str(writer.pin))
    return repository, writer.pin, writer.approvals


def pin_behind(repository: GitRepository, commits: int) -> str:
    """Let the pin move to so many commits behind the tip, and give it."""
    tip = repository.oid(REF)
    repository.git("update-ref", REF, f"{tip}~{commits}")
    PolicyRepo(repository).must("verify-history")
    repository.git("update-ref", REF, tip)
    return PolicyRepo(repository).pin


class _Writer:
    """Writes a `git fast-import` stream, commit by commit."""

    def __init__(self) -> None:
        self.approvals = 0
        self._bands: dict[str, tuple[int, int, bytes]] = {}
        self._signers = {who: load_signer(str(KEYS / who), {}) for who in ("alice", "pat")}
        self._roles = _roles()
        self.pin = Pin(digest(self._roles), 1, REF)

    def commits(self, count: int) -> Iterator[bytes]:
        """Give the first commit, with every document, and then one change after another."""
        yield self._first()
        for number in range(1, count):
            name = f"policies/bands/agent-{number % AGENTS}.yaml"
            version, most, old = self._bands[name]
            # Rounds alternate between tightening and loosening, so that limits stay in bounds.
            looser = number % LOOSER_EVERY == 0
            most += LOOSER_EVERY - 1 if looser else -1
            new = _band(version + 1, most)
            self._bands[name] = (version + 1, most, new)
            change = _covered(name, old, new, version, looser=looser)
            roles = [("alice", ApprovalRole.AGENT_OWNER)]
            roles += [("pat", ApprovalRole.PLATFORM_OWNER)] if looser else []
            yield _commit(number, {name: new, **self._signed([change], roles)})

    def _first(self) -> bytes:
        tools = b"tools_version: 1\ntools: {}\n"
        files = {ROLES_PATH: self._roles, "policies/tools.yaml": tools}
        rest = [_covered(name, None, data, 0, looser=False) for name, data in files.items()]
        for number in range(AGENTS):
            data = _band(1, 2_000_000)
            self._bands[f"policies/bands/agent-{number}.yaml"] = (1, 2_000_000, data)
        owned = [
            _covered(name, None, data, 0, looser=False)
            for name, (_, _, data) in self._bands.items()
        ]
        files |= {name: data for name, (_, _, data) in self._bands.items()}
        signed = {
            **self._signed(owned, [("alice", ApprovalRole.AGENT_OWNER)]),
            **self._signed(rest, [("alice", ApprovalRole.PROPOSER)]),
            **self._signed([*owned, *rest], [("pat", ApprovalRole.PLATFORM_OWNER)]),
        }
        return _commit(0, {**files, **signed})

    def _signed(
        self, covered: list[Covered], roles: list[tuple[str, ApprovalRole]]
    ) -> dict[str, bytes]:
        given = {}
        for who, role in roles:
            statement = ApprovalStatement(
                REPOSITORY, None, REF, tuple(covered), RULE_SET, who, role, "agreed",
                ISSUED, Instant(ISSUED + 30 * DAY),
            )  # fmt: skip
            data = seal(statement.to_bytes(), self._signers[who], APPROVAL_NAMESPACE)
            given[approval_path(digest(parse_envelope(data).payload))] = data
            self.approvals += 1
        return given


def _roles() -> bytes:
    people = {who: (KEYS / f"{who}.pub").read_text().split()[:2] for who in ("alice", "pat")}
    lines = [
        "roles_version: 1",
        f'repository: "{REPOSITORY}"',
        f"protected: [{REF}]",
        "people:",
        *(
            f"  {who}: {{keys: [{{public: {json.dumps(' '.join(key))}, since: 1}}]}}"
            for who, key in people.items()
        ),
        "roles:",
        "  platform-owner: {people: [pat], threshold: 1}",
        "owners:",
        *(f"  bands/agent-{number}: [alice]" for number in range(AGENTS)),
    ]
    return ("\n".join(lines) + "\n").encode()


def _band(version: int, most: int) -> bytes:
    return BAND.format(version=version, most=f"{most // 1_000_000}.{most % 1_000_000:06}").encode()


def _covered(name: str, old: bytes | None, new: bytes, version: int, *, looser: bool) -> Covered:
    return Covered(
        path=name,
        operation=Operation.ADD if old is None else Operation.MODIFY,
        old_sha256=None if old is None else digest(old),
        new_sha256=digest(new),
        new_blob=hashlib.sha1(b"blob %d\0%s" % (len(new), new)).hexdigest(),
        old_version=version,
        new_version=version + 1,
        change_class="unknown" if old is None else "looser" if looser else "tighter",
    )


def _commit(number: int, files: dict[str, bytes]) -> bytes:
    who = b"Test Author <author@example.invalid> %d +0000" % (1_767_225_600 + number)
    head = b"commit %s\ncommitter %s\ndata 6\nchange\n" % (REF.encode(), who)
    parts = [
        b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)
        for name, data in files.items()
    ]
    return head + b"".join(parts) + b"\n"
