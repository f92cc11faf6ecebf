"""The gate's answer as a page for a terminal: the decision first, then why, then the numbers."""

from collections import Counter
from collections.abc import Iterator, Sequence

from agentpolicy.base.numbers import plain
from agentpolicy.gate.band import BandResult
from agentpolicy.gate.budget import BudgetResult, Check
from agentpolicy.gate.budget_checks import UNREADABLE
from agentpolicy.gate.decision import Decision, worst
from agentpolicy.gate.finding import Finding, Note
from agentpolicy.gate.partition import Outcome
from agentpolicy.gate.release import ReleaseResult
from agentpolicy.gate.waivers import WaiverReport, WaiverState
from agentpolicy.report.gate_findings import grade, limits
from agentpolicy.report.gate_json import GateResult
from agentpolicy.report.gate_numbers import (
    column,
    in_words,
    interval,
    limit_in_words,
    share,
    spelled,
)
from agentpolicy.report.words import aligned, counted, table
from agentpolicy.runs.evidence import Tally

_REASONS = {
    WaiverState.UNUSED: "nothing it covers failed",
    WaiverState.NOT_YET: "it has not begun",
    WaiverState.EXPIRED: "its last day is over",
    WaiverState.TOO_LONG: "it lasts longer than the band allows",
    WaiverState.INCOMPLETE: "it lacks evidence that the band asks for",
    WaiverState.UNCONFIRMED: "the verdict it cites is not a recorded one signed by the gate",
    WaiverState.STALE: "the limit is stricter now than the one it was granted against",
    WaiverState.EXCEEDED: "what was measured is worse than what was waived",
    WaiverState.UNSETTLED: "what it covers is not all that the evidence leaves open",
}

_MULTIPLES = "latency_ms_"
"""How the fields begin whose limits are multiples of the baseline."""


def gate_text(result: GateResult) -> str:
    """Write one answer as a page, without colour, ending in a newline."""
    if isinstance(result, ReleaseResult):
        lines = _release(result)
    else:
        lines = _budget(result) if isinstance(result, BudgetResult) else _band(result)
    return "\n".join(lines) + "\n"


def _release(result: ReleaseResult) -> Iterator[str]:
    """Write a release's page: its answer, what keeps it open, then each answer it rests on."""
    heading = _heading(result.decision, _used(result.waivers))
    yield f"{heading}: release of {result.agent}, {counted(result.runs, 'run')}"
    for doubt in result.doubts:
        yield f"  {doubt.id}: cannot be decided: {doubt.why}"
    yield f"subject: {result.subject or 'not one that all runs name'}"
    yield f"route: {result.route or 'none, as the answer is open'}"
    yield ""
    yield "[band]"
    yield from _band(result.band)
    for name, budget in result.budgets.items():
        yield ""
        yield f"[budget {name}]"
        yield from _budget(budget)


def _used(waivers: Sequence[WaiverReport]) -> int:
    """Count the waivers that changed something."""
    return sum(waiver.state is WaiverState.USED for waiver in waivers)


def _heading(decision: Decision, waived: int) -> str:
    """Write the decision in capitals; waivers are counted in it."""
    if decision is Decision.PASS_WITH_WAIVERS:
        return f"PASS WITH {counted(waived, 'waiver')}".upper()
    return decision.upper()


def _budget(result: BudgetResult) -> Iterator[str]:
    """Write a budget's page."""
    heading = _heading(result.decision, _used(result.waivers))
    yield f"{heading}: {result.task_type} / {result.variant}, {counted(result.runs, 'run')}"
    reasons = [check for check in result.checks if check.result is not Decision.PASS]
    for check in reasons:
        yield f"  {_reason(check, result)}"
    yield ""
    yield from _partition(result)
    yield ""
    measured_column = column([check.measured for check in result.checks])
    yield from table(
        ("check", "measured", "limit", "result"),
        [
            (check.id, measured, limit_in_words(check), _word(check.result))
            for check, measured in zip(result.checks, measured_column, strict=True)
        ],
    )
    yield ""
    yield from table(("rate", "share", "95 % interval"), _rate_rows(result))
    for waiver in result.waivers:
        yield _waiver(waiver)
    for name, count in result.missing.items():
        yield f"missing: {name} in {count} of {counted(result.runs, 'run')}"
    if result.hand_set:
        yield f"set by hand: {', '.join(result.hand_set)}"
    if result.other_runs:
        yield f"not judged here: {counted(result.other_runs, 'run')} of other tasks or variants"


def _reason(check: Check, result: BudgetResult) -> str:
    """Say in one line what a check measured against its limit."""
    measured, open_because = in_words(check.measured), _open_because(check)
    if check.id == "sample_min":
        least = plain(check.limit)
        return f"sample_min: {counted(result.fixtures, 'fixture')} judged, at least {least} needed"
    if check.id == UNREADABLE:
        return f"{counted(int(measured), 'record')} could not be read, so nothing passes"
    if check.waived_by:
        return f"{check.id}: {measured} against {limit_in_words(check)}  [{check.waived_by}]"
    if check.point is Decision.PASS:
        return (
            f"{check.id}: {measured} is {limit_in_words(check)}, but its one-sided 95 % bound is "
            "not; more runs may settle it"
        )
    if check.result is Decision.INCONCLUSIVE:
        aside = f" ({open_because})" if open_because else ""
        return f"{check.id}: cannot be decided, {measured}{aside} against {limit_in_words(check)}"
    parts = _past_soft(result) if check.id == "amber_rate_max" else ""
    told = "; ".join(filter(None, (parts, open_because)))
    aside = f" ({told})" if told else ""
    names = {
        "amber_rate_max": "past soft",
        "p95_cost_usd": "95th percentile of cost in USD",
        "pass_rate_min": "pass rate",
        "unsafe_action_rate_max": "runs with an undeclared effect",
    }
    sign = "<" if check.floor else ">"
    return f"{names[check.id]} {measured}{aside} {sign} {spelled(check.limit)}"


def _past_soft(result: BudgetResult) -> str:
    """Say where the runs past a soft limit went."""
    return " + ".join(
        f"{share(result.past_soft[outcome], result.runs)} {_label(outcome)}"
        for outcome in reversed(Outcome)
        if result.past_soft.get(outcome)
    )


def _open_because(check: Check) -> str:
    """Say why a measured value is a range; empty where it is one value."""
    measured = check.measured
    if isinstance(measured, Tally):
        one = measured.unknown == 1
        runs = counted(measured.unknown, "run")
        return f"{runs} {'lacks' if one else 'lack'} values" if measured.unknown else ""
    return "" if measured.known is not None else "values are missing"


def _partition(result: BudgetResult) -> Iterator[str]:
    """Write every bucket over one denominator."""
    counts = {_label(outcome): count for outcome, count in result.partition.items()}
    counts["all runs"] = sum(counts.values())
    shares = aligned([share(count, result.runs) for count in counts.values()])
    width = max(len("runs"), len(str(result.runs)))
    rows = [
        (label, str(count).rjust(width), share)
        for (label, count), share in zip(counts.items(), shares, strict=True)
    ]
    yield from table(("outcome", "runs".rjust(width), "share"), rows)


def _rate_rows(result: BudgetResult) -> list[tuple[str, ...]]:
    """Give one row a rate, with what so many runs say about it."""
    return [
        (name.replace("_", " "), in_words(tally), " to ".join(interval(tally)))
        for name, tally in result.rates.items()
    ]


def _band(result: BandResult) -> Iterator[str]:
    """Write a band's page."""
    heading = _heading(result.decision, _used(result.waivers))
    yield (
        f"{heading}: {result.agent}, {counted(result.runs, 'run')} "
        f"over {counted(result.fixtures, 'fixture')}"
    )
    for finding in result.crossings:
        yield f"  {_crossing(finding, result)}"
    for name in result.missing_fixtures:
        yield f"  {name}: the candidate has no run of this fixture"
    yield from _unknown(result)
    yield ""
    yield from table(("field", "crossings", "band", "result"), _field_rows(result))
    for note in result.notes:
        yield f"note: {note.why}{_worth(note)}"
    for waiver in result.waivers:
        yield _waiver(waiver)
    yield from _look(result)
    yield _route(result)
    yield f"comparability: {result.comparability}; baseline: {result.baseline}"
    if result.hand_set:
        yield f"set by hand: {', '.join(result.hand_set)}"


def _route(result: BandResult) -> str:
    """Say where the release goes, and what that was added up from."""
    if result.route is None:
        return "route: none, as the answer is open"
    if result.risk.nothing_crossed and not result.risk.score:
        return f"route: {result.route}"
    crossed = len(result.risk.crossed)
    return (
        f"route: {result.route}, risk {plain(result.risk.score)}: "
        f"{crossed} of {counted(result.fixtures, 'fixture')} crossed"
    )


def _crossing(finding: Finding, result: BandResult) -> str:
    """Say one crossing in one sentence."""
    where = "whole set" if finding.fixture_id is None else finding.fixture_id
    attempt = "" if finding.attempt is None else f", attempt {finding.attempt}"
    waived = f"  [waived by {finding.waived_by}]" if finding.waived_by else ""
    waived += "  [only a warning]" if finding.warned else ""
    # of prerequisites the sentence has said all: no band can ask for less
    says = "" if finding.field == "requires" else f"; the band says {_limit(finding)}"
    floor = result.noise.get((finding.fixture_id, finding.field))
    noise = "" if floor is None else f"; noise floor: {floor}"
    return f"{where}{attempt}: {finding.field}: {finding.why}{says}{noise}{waived}"


def _look(result: BandResult) -> Iterator[str]:
    """Name the attempts with the most that still stands against the release, worst first."""
    standing = Counter(
        finding.fixture_id + ("" if finding.attempt is None else f", attempt {finding.attempt}")
        for finding in result.crossings
        if finding.fixture_id is not None and not finding.waived_by and not finding.warned
    )
    if len(standing) > 1:
        worst_first = sorted(standing.items(), key=lambda one: (-one[1], one[0]))
        told = "; ".join(f"{name} ({counted(many, 'crossing')})" for name, many in worst_first[:3])
        yield f"look first at: {told}"


def _unknown(result: BandResult) -> Iterator[str]:
    """Say once per field what could not be judged, and on how many values."""
    reasons: dict[tuple[str, str], int] = {}
    for finding in result.findings:
        if finding.result is Decision.INCONCLUSIVE:
            key = (finding.field, finding.why)
            reasons[key] = reasons.get(key, 0) + 1
    for (field, why), count in reasons.items():
        yield f"  {field}: cannot be decided on {count}: {why}"


def _field_rows(result: BandResult) -> list[tuple[str, ...]]:
    """Give one row a field."""
    return [
        (
            field,
            f"{sum(finding.crosses for finding in found)} of {len(found)}",
            _limit(found[0]) if len({one.limit for one in found}) == 1 else limits(found),
            _word(worst(finding.result for finding in found))
            + (", only a warning" if grade(found) == "warn" else ""),
        )
        for field, found in result.by_field.items()
    ]


def _limit(judged: Finding | Note) -> str:
    """Write a limit as bands spell it: a multiple of the baseline carries its `x`."""
    return f"{judged.limit}x" if judged.field.startswith(_MULTIPLES) else judged.limit


def _worth(note: Note) -> str:
    """Say from where on a value is worth a look; what only says that nothing can be told is not."""
    sides = {"drift.jaccard_min": "below", "drift.z_max": "above", "latency_ms_p50.warn": "above"}
    side = sides.get(note.field)
    return f" (worth a look {side} {_limit(note)})" if side else ""


def _waiver(waiver: WaiverReport) -> str:
    """Say what became of a waiver, and how long it still has."""
    if waiver.state in _REASONS:
        outcome = f"{waiver.state} ({_REASONS[waiver.state]})"
    else:
        outcome = f"used for {', '.join(waiver.fixtures)}"
    left = waiver.days_left
    if left < 0:
        time = f"ended {waiver.expires_on}"
    else:
        time = f"through {waiver.expires_on}, " + (
            f"{counted(left, 'day')} left" if left else "its last day"
        )
    return f"waiver {waiver.id} on {waiver.field}, owner {waiver.owner}: {outcome}; {time}"


def _label(outcome: Outcome) -> str:
    """Write an outcome as people say it."""
    return outcome.replace("_", " ")


def _word(decision: Decision) -> str:
    """Write an answer as people say it."""
    return decision.replace("_", " ")
