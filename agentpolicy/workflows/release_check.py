"""May this artefact ship now? Asked of the log and the policy in force, never of the runs again.

The last answer of the gate about the very agent and the very artefact counts. It admits only while
the documents it was judged under are the ones in force, and the waivers it leant on still hold.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Document, DocumentKind
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.documents.models.waiver_rules import WaiverRules
from agentpolicy.gate.waivers import WaiverState, unfit
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.query import Found, verdicts_in
from agentpolicy.provenance.records import RecordKind
from agentpolicy.provenance.reliance import TOLERANCE, misdated
from agentpolicy.workflows.audit import log_of
from agentpolicy.workflows.confirmed import confirmation
from agentpolicy.workflows.gate import governing
from agentpolicy.workflows.policy_source import PolicySource, PolicyState

_WAIVERS = "policies/waivers/"
_JUDGE = "agentpolicy gate release --agent {} --baseline FILE --candidate FILE --record --key KEY"


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """Whether an artefact may ship, and every attempt to have it judged."""

    agent: str
    subject: str
    source: PolicySource
    reasons: tuple[str, ...]
    """Why it may not; empty where it may."""
    attempts: tuple[Found, ...]
    """Every recorded release verdict about it, oldest first; the last of the gate decides."""
    unanswered: int
    """Times it was about to be judged, with no answer in the log."""

    @property
    def admitted(self) -> bool:
        """Whether the artefact may ship."""
        return not self.reasons

    @property
    def next_step(self) -> str:
        """What to type where it may not."""
        return _JUDGE.format(self.agent)


def check_release(
    repository: Repository, source: PolicySource, agent: str, subject: str, at: Instant
) -> ReleaseCheck:
    """Look up what the gate last said of an artefact, and hold it to the policy in force.

    Raises:
        InputError: the policy has no band for the agent.
        UndecidedError: the policy is not in force, or the log cannot be relied on.
    """
    authority = source.authority
    if source.state is not PolicyState.IN_FORCE or authority is None:
        words = f"the policy is {source.state}, so nothing can be said to be admitted now"
        raise UndecidedError(Problem("not-in-force", words, "git fetch"))
    confirmed = confirmation(repository, authority, at)
    if confirmed.verdicts is None:
        raise UndecidedError(*confirmed.why_none)
    records = log_of(repository, authority).records
    attempts = tuple(
        found
        for found in verdicts_in(records)
        if found.statement.judged.gate == "release"
        and found.statement.judged.agent == agent
        and found.statement.judged.subject == subject
    )
    opened = sum(
        logged.record.kind == RecordKind.OPENED
        and logged.by_gate is not False
        and logged.record.statement.get("agent") == agent
        and logged.record.statement.get("subject") == subject
        for logged in records
    )
    wrong = misdated(records)
    counting = [one for one in attempts if one.logged.by_gate and one.verdict not in wrong]
    in_force = governing(agent, source)
    reasons: tuple[str, ...] = (f"the gate has no recorded verdict on {subject} for {agent}",)
    if counting:
        reasons = tuple(_reasons(counting[-1], source, in_force, confirmed.verdicts, at))
    answered = sum(one.logged.by_gate is True for one in attempts)
    return ReleaseCheck(agent, subject, source, reasons, attempts, max(0, opened - answered))


def _reasons(
    found: Found,
    source: PolicySource,
    in_force: Sequence[Document],
    confirmed: frozenset[str],
    at: Instant,
) -> Iterator[str]:
    """Say why the last verdict of the gate does not admit the artefact now."""
    stated = found.statement
    if not stated.decision.accepted:
        yield f"the last verdict of the gate on it is {stated.decision}"
    if stated.policy.state != PolicyState.IN_FORCE:
        yield f"it was judged under a policy that was {stated.policy.state}"
    if stated.evaluated_at > at + TOLERANCE:
        yield "it was judged at an instant that is still to come"
    yield from _changed(found, in_force)
    for part in stated.evidence:
        if part.unreadable:
            yield f"{part.unreadable} records of its {part.part} could not be read"
    for name in _leant_on(stated.findings):
        yield from _waiver(name, found, source, confirmed, at)


def _changed(found: Found, in_force: Sequence[Document]) -> Iterator[str]:
    """Name the documents that are not those it was judged under."""
    judged = {
        one.path: one.sha256
        for one in found.statement.policy.documents
        if not one.path.startswith(_WAIVERS)
    }
    now = {one.path: one.sha256 for one in in_force}
    for path in sorted(judged.keys() | now.keys()):
        if judged.get(path) != now.get(path):
            yield f"{path} is not what it was judged under"


def _leant_on(findings: Mapping[str, object]) -> Iterator[str]:
    """List the waivers without which the verdict would not have been the same."""
    reports = findings.get("waivers")
    for report in reports if isinstance(reports, (list, tuple)) else ():
        if isinstance(report, Mapping) and report.get("state") == WaiverState.USED:
            yield str(report.get("id"))


def _waiver(
    name: str, found: Found, source: PolicySource, confirmed: frozenset[str], at: Instant
) -> Iterator[str]:
    """Say why a waiver that it leant on holds no more."""
    path = f"{_WAIVERS}{name}.yaml"
    document = source.snapshot.documents.get(path)
    cited = {one.path: one.sha256 for one in found.statement.policy.documents}
    if document is None or cited.get(path) != document.sha256:
        yield f"the waiver {name} that it leant on is gone"
        return
    waiver = Waiver.model_validate(document.tree)
    state = unfit(waiver, _rules(waiver, source), confirmed, at)
    if state is not None:
        yield f"the waiver {name} that it leant on is {state}"


def _rules(waiver: Waiver, source: PolicySource) -> WaiverRules | None:
    """Give what the document in force asks of a waiver."""
    if waiver.agent is not None:
        return Band.model_validate(
            source.document(f"policies/bands/{waiver.agent}.yaml").tree
        ).waivers
    for document in source.snapshot.documents.values():
        if document.kind is DocumentKind.BUDGET:
            budget = Budget.model_validate(document.tree)
            if (budget.task_type, budget.variant) == (waiver.task_type, waiver.variant):
                return budget.waivers
    return None
