"""Judges runs under a policy and states the verdict; recording it is a step of its own."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Document, DocumentKind
from agentpolicy.documents.models.band import Band
from agentpolicy.documents.models.budget import Budget
from agentpolicy.documents.models.tools import Tools
from agentpolicy.documents.models.waiver import Waiver
from agentpolicy.gate.band import BandResult, judge_band
from agentpolicy.gate.budget import BudgetResult, judge_budget
from agentpolicy.loading.runs import read_runs
from agentpolicy.runs.run_set import RunSet
from agentpolicy.workflows.confirmed import Confirmation
from agentpolicy.workflows.policy_source import PolicySource, PolicyState

CLOSED = "policies/waivers/closed/"


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Which run files to read, and how."""

    paths: tuple[Path, ...]
    input_format: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """Fields filled in by hand where a log does not carry them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer of the gate, and everything its verdict names."""

    result: BudgetResult | BandResult
    source: PolicySource
    documents: tuple[Document, ...]
    """The documents that were read for it."""
    evidence: tuple[tuple[str, RunSet], ...]
    """The run sets by the part they played; the last one is what was on trial."""
    sizes: Mapping[str, int]
    """Bytes of each evidence file, by the digest of its content."""
    evaluated_at: Instant


def gate_budget(name: str, runs: RunFiles, source: PolicySource, at: Instant) -> Judged:
    """Judge runs against one budget.

    Raises:
        InputError: the budget does not exist, or a run file cannot be read.
        UndecidedError: there is no run to judge.
    """
    budget = source.document(f"policies/budgets/{name}.yaml")
    evidence, sizes = _read(runs)
    result = judge_budget(Budget.model_validate(budget.tree), _tools(source), evidence)
    return Judged(result, source, _used(budget, source), (("runs", evidence),), sizes, at)


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
    (reference, sizes), (trial, more) = _read(baseline), _read(candidate)
    open_waivers = _waivers(source, agent)
    waivers = [Waiver.model_validate(waiver.tree) for waiver in open_waivers]

    def judge(known: Iterable[str]) -> BandResult:
        return judge_band(band, tools, reference, trial, agent, waivers, frozenset(known), at)

    result = judge(confirmed.verdicts or ())
    all_cited = [one.verdict for one in waivers]
    if confirmed.verdicts is None and judge(all_cited).decision != result.decision:
        words = "a waiver would decide, but nothing confirms the verdict it cites"
        hint = confirmed.why_none[0].hint
        raise UndecidedError(Problem("waiver-unconfirmed", words, hint), *confirmed.why_none)
    used = (*_used(document, source), *open_waivers)
    evidence = (("baseline", reference), ("candidate", trial))
    return Judged(result, source, used, evidence, sizes | more, at)


def exit_code(judged: Judged, *, proposed: bool) -> int:
    """Give the exit code: a pass in any other state than in force admits nothing."""
    decision = judged.result.decision
    if not decision.accepted:
        return 1 if decision == "fail" else 3
    return 0 if proposed or judged.source.state is PolicyState.IN_FORCE else 3


def _read(runs: RunFiles) -> tuple[RunSet, dict[str, int]]:
    files = [file for path in runs.paths for file in _files(path)]
    sizes = {digest(data): len(data) for _, data in files}
    return read_runs(files, runs.input_format, runs.labels), sizes


def _files(path: Path) -> list[tuple[str, bytes]]:
    """Read a file, or every file of a folder, or what a quoted pattern matches."""
    if path.is_dir():
        found: Sequence[Path] = sorted(file for file in path.rglob("*") if file.is_file())
    elif path.exists():
        found = [path]
    else:
        found = _matching(path)
    if not found:
        hint = f"ls {shlex.quote(str(path.parent))}"
        raise InputError(Problem("no-such-file", "there is no such run file", hint, str(path)))
    try:
        return [(file.as_posix(), file.read_bytes()) for file in found]
    except OSError as error:
        words = f"it cannot be read: {error.strerror}"
        raise InputError(
            Problem("unreadable", words, f"ls -l {shlex.quote(str(path))}", str(path))
        ) from error


def _matching(pattern: Path) -> Sequence[Path]:
    try:
        return sorted(Path(pattern.anchor or ".").glob(str(pattern.relative_to(pattern.anchor))))
    except ValueError:  # no pattern either
        return ()


def _tools(source: PolicySource) -> Tools | None:
    return Tools.model_validate(source.tools.tree) if source.tools else None


def _used(document: Document, source: PolicySource) -> tuple[Document, ...]:
    return (document, source.tools) if source.tools else (document,)


def _waivers(source: PolicySource, agent: str) -> list[Document]:
    """Find the open waivers of an agent."""
    return [
        document
        for path, document in sorted(source.snapshot.documents.items())
        if document.kind is DocumentKind.WAIVER
        and not path.startswith(CLOSED)
        and document.tree["agent"] == agent
    ]


def policy_json(source: PolicySource) -> dict[str, str | None]:
    """Name the policy as the published JSON does."""
    return {
        "commit": source.commit or None,
        "ref": source.ref or None,
        "state": str(source.state),
    }
