"""Judges runs under a policy and states the verdict; recording it is a step of its own."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Document, DocumentKind
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.gate.release import ReleasePolicy, ReleaseResult, judge_release
from agentpolicy.report.gate_json import GateResult
from agentpolicy.runs.run_set import Runs, RunSet, shared_by
from agentpolicy.workflows.confirmed import Confirmation
from agentpolicy.workflows.policy_source import PolicySource, PolicyState
from agentpolicy.workflows.run_files import RunFiles

if TYPE_CHECKING:
    from agentpolicy.runs.table import RunTable

R = TypeVar("R", BudgetResult, BandResult, ReleaseResult)


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer of the gate, and everything its verdict names."""

    result: GateResult
    source: PolicySource
    documents: tuple[Document, ...]
    """The documents that were read for it."""
    evidence: tuple[tuple[str, Runs], ...]
    """The run sets by the part they played; the last one is what was on trial."""
    sizes: Mapping[str, int]
    """Bytes of each evidence file, by the digest of its content."""
    evaluated_at: Instant

    @property
    def unreadable(self) -> tuple[Problem, ...]:
        """Every record of the evidence that could not be read."""
        return tuple(problem for _, runs in self.evidence for problem in runs.unreadable)


def gate_budget(
    name: str,
    runs: RunFiles,
    source: PolicySource,
    at: Instant,
    confirmed: Confirmation,
    progress: Callable[[int], None] = lambda _: None,
    store: Path | None = None,
) -> Judged:
    """Judge runs against one budget; `confirmed` are the gate's recorded verdicts.

    `progress` is told how many bytes of large files were read, again and again; `store` is a folder
    of columns that were read before, for answers that are not recorded.

    Raises:
        InputError: the budget does not exist, or a run file cannot be read.
        UndecidedError: there is no run to judge, or a waiver that cannot be confirmed decides.
    """
    budget = source.document(f"policies/budgets/{name}.yaml")
    evidence, sizes = runs.read_many(progress, store)
    policy, tools = Budget.model_validate(budget.tree), _tools(source)
    open_waivers = _waivers(source, task_type=policy.task_type, variant=policy.variant)
    result = _settled(
        lambda waivers, known: _judge(policy, tools, evidence, waivers, known, at),
        open_waivers,
        confirmed,
    )
    used = (*_used(source, budget), *open_waivers)
    return Judged(result, source, used, (("runs", evidence),), sizes, at)


def _judge(
    policy: Budget,
    tools: Tools | None,
    evidence: "RunSet | RunTable",
    waivers: Sequence[Waiver],
    known: Collection[str],
    at: Instant,
) -> BudgetResult:
    if isinstance(evidence, RunSet):
        return judge_budget(policy, tools, evidence, waivers, known, at)
    from agentpolicy.gate.budget_table import judge_table  # noqa: PLC0415 - numpy is slow to import

    return judge_table(policy, tools, evidence, waivers, known, at)


def gate_band(
    agent: str,
    baseline: RunFiles,
    candidate: RunFiles,
    source: PolicySource,
    at: Instant,
    confirmed: Confirmation,
) -> Judged:
    """Judge a candidate against its reference runs, with the waivers that the log confirms.

    Where it can confirm none, no waiver counts; if one would have changed the answer, there is
    none.

    Raises:
        InputError: the band does not exist, or a run file cannot be read or does not belong.
        UndecidedError: there is no run to judge, or a waiver that cannot be confirmed decides.
    """
    document = source.document(f"policies/bands/{agent}.yaml")
    band, tools = Band.model_validate(document.tree), _tools(source)
    pinned = _baseline(source, agent)
    (reference, sizes), (trial, more) = baseline.read(), candidate.read()
    open_waivers = _waivers(source, agent=agent)
    model = None if pinned is None else Baseline.model_validate(pinned.tree)
    result = _settled(
        lambda waivers, known: judge_band(
            band, tools, reference, trial, agent, waivers, known, at, model
        ),
        open_waivers,
        confirmed,
    )
    used = (*_used(source, document, pinned), *open_waivers)
    evidence = (("baseline", reference), ("candidate", trial))
    return Judged(result, source, used, evidence, sizes | more, at)


@dataclass(frozen=True, slots=True)
class Release:
    """A release that is about to be judged: everything is read, nothing is decided."""

    agent: str
    source: PolicySource
    policy: ReleasePolicy
    documents: tuple[Document, ...]
    waivers: tuple[Document, ...]
    baseline: RunSet
    candidate: RunSet
    sizes: Mapping[str, int]

    @property
    def subject(self) -> str | None:
        """What would ship, where all runs name the same."""
        return shared_by(self.candidate.subjects)


def read_release(
    agent: str, baseline: RunFiles, candidate: RunFiles, source: PolicySource
) -> Release:
    """Read everything a release is judged by and on.

    Raises:
        InputError: the band does not exist, or a run file cannot be read or does not belong.
        UndecidedError: there is no run to judge.
    """
    document = source.document(f"policies/bands/{agent}.yaml")
    pinned = _baseline(source, agent)
    (reference, sizes), (trial, more) = baseline.read(), candidate.read()
    model = None if pinned is None else Baseline.model_validate(pinned.tree)
    budgets = _budgets(source, model)
    open_waivers = _waivers(source, agent=agent)
    for task_type, variant in sorted({_pair_of(budget) for budget in budgets}):
        open_waivers += _waivers(source, task_type=task_type, variant=variant)
    return Release(
        agent=agent,
        source=source,
        policy=ReleasePolicy(
            band=Band.model_validate(document.tree),
            baseline=model,
            budgets={one.name: Budget.model_validate(one.tree) for one in budgets},
            tools=_tools(source),
        ),
        documents=_used(source, document, pinned, *budgets),
        waivers=tuple(open_waivers),
        baseline=reference,
        candidate=trial,
        sizes=sizes | more,
    )


def gate_release(release: Release, at: Instant, confirmed: Confirmation) -> Judged:
    """Judge a release by its band and every budget its fixtures fall under, in one verdict.

    Raises:
        InputError: the runs do not belong together.
        UndecidedError: a waiver that cannot be confirmed decides.
    """
    result = _settled(
        lambda waivers, known: judge_release(
            release.policy, release.baseline, release.candidate, release.agent, waivers, known, at
        ),
        release.waivers,
        confirmed,
    )
    evidence = (("baseline", release.baseline), ("candidate", release.candidate))
    used = (*release.documents, *release.waivers)
    return Judged(result, release.source, used, evidence, release.sizes, at)


def _settled(
    judge: Callable[[Sequence[Waiver], Collection[str]], R],
    open_waivers: Sequence[Document],
    confirmed: Confirmation,
) -> R:
    """Judge with the waivers that the log confirms; without a log, only if none would decide."""
    waivers = [Waiver.model_validate(waiver.tree) for waiver in open_waivers]
    result = judge(waivers, confirmed.verdicts or ())
    all_cited = {waiver.verdict for waiver in waivers}
    if confirmed.verdicts is None and judge(waivers, all_cited).decision != result.decision:
        words = "a waiver would decide, but nothing confirms the verdict it cites"
        hint = confirmed.why_none[0].hint
        raise UndecidedError(Problem("waiver-unconfirmed", words, hint), *confirmed.why_none)
    return result


def exit_code(judged: Judged, *, proposed: bool) -> int:
    """Give the exit code: a pass in any other state than in force admits nothing."""
    decision = judged.result.decision
    if not decision.accepted:
        return 1 if decision == "fail" else 3
    return 0 if proposed or judged.source.state is PolicyState.IN_FORCE else 3


def _tools(source: PolicySource) -> Tools | None:
    return Tools.model_validate(source.tools.tree) if source.tools else None


def governing(agent: str, source: PolicySource) -> tuple[Document, ...]:
    """Give every document that a release of an agent is judged by, but for the waivers.

    Raises:
        InputError: the band does not exist.
    """
    document = source.document(f"policies/bands/{agent}.yaml")
    pinned = _baseline(source, agent)
    model = None if pinned is None else Baseline.model_validate(pinned.tree)
    return _used(source, document, pinned, *_budgets(source, model))


def _budgets(source: PolicySource, baseline: Baseline | None) -> list[Document]:
    """List the budgets that the fixtures of a baseline fall under."""
    pairs = {(one.task_type, one.variant) for one in (baseline.fixtures if baseline else ())}
    return [
        one
        for one in source.snapshot.documents.values()
        if one.kind is DocumentKind.BUDGET and _pair_of(one) in pairs
    ]


def _used(source: PolicySource, *documents: Document | None) -> tuple[Document, ...]:
    """List the documents that are there, and the catalogue."""
    return tuple(one for one in (*documents, source.tools) if one is not None)


def _pair_of(budget: Document) -> tuple[str, str]:
    return str(budget.tree["task_type"]), str(budget.tree["variant"])


def _baseline(source: PolicySource, agent: str) -> Document | None:
    return source.snapshot.documents.get(f"policies/baselines/{agent}.yaml")


def _waivers(source: PolicySource, **whose: str) -> list[Document]:
    """Find the open waivers of an agent, or of a task type and variant."""
    return [
        document
        for document in source.open_waivers
        if all(document.tree.get(key) == value for key, value in whose.items())
    ]


def policy_json(source: PolicySource) -> dict[str, str | None]:
    """Name the policy as the published JSON does."""
    return {
        "commit": source.commit or None,
        "ref": source.ref or None,
        "state": str(source.state),
    }
