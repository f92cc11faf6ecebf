"""A verified history for people: whether it stands, then each unusable commit and its end."""

from collections.abc import Iterator

from agentpolicy.base.instant import format_instant
from agentpolicy.report.history import History, Unusable, no_log
from agentpolicy.report.problems_text import problems_text
from agentpolicy.report.words import counted

_SHORT = 12
"""Hex digits that are shown of a commit."""
_RESTORE = "git restore --source={} --staged --worktree policies && git commit"


def history_text(history: History) -> str:
    """Write what was verified and what was not, the first bad commit first."""
    open_ones = sum(one.closing is None for one in history.unusable)
    bad = counted(sum(len(one.commits) for one in history.unusable), "unusable commit")
    if not history.unusable:
        head = "verified"
    elif open_ones:
        head = f"refused: {bad}, and the tip is one of them"
    else:
        head = f"{bad}, all put right" if history.stands else f"refused: {bad} with verdicts"
    stretch = f"{_short(history.begin)} to {_short(history.tip)}"
    lines = [f"{head}: {history.ref}, {counted(history.commits, 'commit')} judged, {stretch}"]
    for one in history.unusable:
        lines += _about(one, history)
    return "\n".join(lines) + "\n"


def pin_text(history: History) -> str:
    """Say where the pin is now, for people who hold it elsewhere too."""
    if history.raising.held_back:
        return f"the pin stays where it is: {history.raising.held_back}"
    return f"the pin is now: {history.raising.pin}"


def _about(one: Unusable, history: History) -> Iterator[str]:
    first, *others = one.commits
    more = f", and {counted(len(others), 'commit')} after it" if others else ""
    yield f"unusable: {first}{more}"
    if one.closing is None:
        yield from _indented(problems_text(one.admission.problems))
        if history.restore_from is not None:
            yield f"  or undo it: {_RESTORE.format(_short(history.restore_from))}"
        yield "  nothing has put it right yet"
    else:
        problems = "\n".join(str(problem).split("\n")[0] for problem in one.admission.problems)
        yield from _indented(problems)
        how = "restored the state before it" if one.closing.restored else "was admitted after it"
        yield f"  put right by {_short(one.closing.commit)}, which {how}"
    yield from _verdicts(one, history)


def _verdicts(one: Unusable, history: History) -> Iterator[str]:
    for found in one.verdicts:
        said = f"{found.statement.decision} at {format_instant(found.statement.evaluated_at)}"
        yield f"  VERDICT recorded under it: {found.verdict} {said} by {found.logged.person}"
    if not one.verdicts:
        if history.log is None or no_log(history.log):
            yield "  no verdict was recorded under it here: there is no verdict log"
        elif history.log_known:
            yield "  no verdict was recorded under it"
        else:
            yield "  whether a verdict was recorded under it cannot be told"


def _indented(text: str) -> Iterator[str]:
    yield from (f"  {line}" for line in text.splitlines())


def _short(commit: str) -> str:
    return commit[:_SHORT]
