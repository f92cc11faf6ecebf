"""Policies and approvals in memory, for asking `decide` without any repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Self

from agentpolicy import RULE_SET
from agentpolicy.admission.decide import Admission, StepContext, decide
from agentpolicy.admission.ratifying import with_ratified
from agentpolicy.base.canonical import digest
from agentpolicy.base.instant import DAY, Instant, parse_instant
from agentpolicy.documents.document import EMPTY, Snapshot
from agentpolicy.documents.layout import approval_path
from agentpolicy.gitio.signing import load_signer
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import PolicyFile, read_snapshot
from agentpolicy.order.change import ChangeReport
from agentpolicy.order.classify import classify
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    ApprovalRole,
    ApprovalStatement,
    Covered,
)
from agentpolicy.trust.envelope import Signer, parse_envelope, seal
from agentpolicy.trust.pin import Pin

from tests.policy_repo import (
    BAND,
    BAND_PATH,
    BUDGET,
    BUDGET_PATH,
    KEYS,
    ROLES_PATH,
    TOOLS,
    TOOLS_PATH,
)

NOW = parse_instant("2026-03-10T12:00:00Z")
REF = "refs/heads/main"
REPOSITORY = "0" * 32
PEOPLE = ("alice", "pat", "priya", "ria")


def public(who: str) -> str:
    return " ".join((KEYS / f"{who}.pub").read_text().split()[:2])


ROLES = "\n".join(
    [
        "roles_version: 1",
        f'repository: "{REPOSITORY}"',
        f"protected: [{REF}]",
        "guarded: [ci.yml]",
        "people:",
        *(f'  {who}: {{keys: [{{public: "{public(who)}", since: 1}}]}}' for who in PEOPLE),
        "roles:",
        "  platform-owner: {people: [pat, priya], threshold: 1}",
        "  reviewer: {people: [ria], threshold: 1}",
        "owners:",
        "  bands/refund-agent: [alice]",
        "  budgets/schedule-meeting: [alice]",
        "",
    ]
)


@cache
def signer(who: str) -> Signer:
    return load_signer(str(KEYS / who), {})


@dataclass(frozen=True)
class World:
    """The governed files at one point; every change gives a new world."""

    files: dict[str, str]
    approvals: dict[str, bytes] = field(default_factory=dict)
    guarded: dict[str, bytes] = field(default_factory=dict)

    @property
    def snapshot(self) -> Snapshot:
        texts = {path: text.encode() for path, text in self.files.items()}
        files = {**texts, **self.approvals}.items()
        return read_snapshot(
            (PolicyFile(path, "100644", data) for path, data in files), self.guarded
        )

    def edit(self, path: str, *pairs: tuple[str, str]) -> Self:
        text = self.files[path]
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new, 1)
        return replace(self, files={**self.files, path: text})

    def without(self, path: str) -> Self:
        return replace(
            self, files={name: text for name, text in self.files.items() if name != path}
        )

    def moved(self, path: str, to: str) -> Self:
        return replace(self.without(path), files={**self.without(path).files, to: self.files[path]})

    def approved(self, *given: bytes) -> Self:
        named = {approval_path(digest(payload_of(data))): data for data in given}
        return replace(self, approvals={**self.approvals, **named})


def payload_of(data: bytes) -> bytes:
    return parse_envelope(data).payload


def approval(
    base: World | None,
    head: World,
    who: str,
    role: str,
    *paths: str,
    at: Instant = NOW,
    key: str = "",
    claims: Mapping[str, object] | None = None,
) -> bytes:
    """Sign what the documents' change is, or what `claims` about the statement say it is."""
    report = changes(base, head)
    covered = tuple(
        Covered(
            path=change.path,
            operation=change.operation,
            old_sha256=change.old_sha256,
            new_sha256=change.new_sha256,
            new_blob="0" * 40 if change.new_sha256 else None,
            old_version=change.old_version,
            new_version=change.new_version,
            change_class=str(change.change_class),
        )
        for change in report.documents
        if change.path in paths or not paths
    )
    statement = ApprovalStatement(
        repository=REPOSITORY,
        url=None,
        policy_ref=REF,
        covered=covered,
        rule_set=RULE_SET,
        person=who,
        role=ApprovalRole(role),
        reason="",
        issued_at=at,
        expires_at=Instant(at + 30 * DAY),
    )
    stated = replace(statement, **(claims or {}))  # type: ignore[arg-type]  # all sorts of claims
    return seal(stated.to_bytes(), signer(key or who), APPROVAL_NAMESPACE)


def changes(base: World | None, head: World) -> ChangeReport:
    """Say what changes from one world to the next, with what has to be ratified along with it."""
    before, after = base.snapshot if base else EMPTY, head.snapshot
    return with_ratified(before, after, classify(before, after, all_schemas()))


FIRST_DRAFT = World({ROLES_PATH: ROLES, BAND_PATH: BAND, BUDGET_PATH: BUDGET, TOOLS_PATH: TOOLS})
PIN = Pin(digest(ROLES.encode()), 1, REF)


def landed_first() -> World:
    """The first policy with everything it needs."""
    owned = (BAND_PATH, BUDGET_PATH)
    rest = (ROLES_PATH, TOOLS_PATH)
    return FIRST_DRAFT.approved(
        approval(None, FIRST_DRAFT, "alice", "agent-owner", *owned),
        approval(None, FIRST_DRAFT, "alice", "proposer", *rest),
        approval(None, FIRST_DRAFT, "pat", "platform-owner"),
    )


FIRST = landed_first()


def ask(
    base: World | None,
    head: World,
    *,
    at: Instant = NOW,
    entering: bool = True,
    confirmed: frozenset[str] | None = None,
    pin: Pin = PIN,
) -> Admission:
    """Ask whether `head` may follow `base`."""
    step = StepContext(pin, all_schemas(), at, entering=entering, confirmed=confirmed)
    return decide(base.snapshot if base else EMPTY, head.snapshot, step)


def codes(admission: Admission) -> set[str]:
    return {problem.code for problem in admission.problems}


def words(admission: Admission) -> str:
    return "\n".join(problem.message for problem in admission.problems)
