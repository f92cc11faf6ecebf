"""Prerequisites of tools, judged on the candidate alone, in every order mode."""

from collections.abc import Iterator

from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.decision import Decision
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture
from agentpolicy.runs.evidence import Evidence


def judge(fixture: Fixture, catalogue: Catalogue) -> Iterator[Finding]:
    """Ask of every call that a successful call of each tool it requires came before.

    The effect of either tool plays no part, nor does what the references did.
    """
    if not catalogue.requires_anything:
        return
    for attempt in fixture.attempts:
        result, why = _look(attempt, catalogue)
        yield Finding(
            "requires", fixture.id, attempt.attempt, result, None, "prerequisites first", why
        )


def _look(attempt: Evidence, catalogue: Catalogue) -> tuple[Decision, str]:
    """Walk the calls in order, knowing which tools have succeeded so far."""
    if attempt.calls is None:
        return Decision.INCONCLUSIVE, "the tool calls were not recorded"
    succeeded: set[str] = set()
    perhaps: set[str] = set()
    doubt = ""
    for call in attempt.calls:
        for needed in catalogue.requires(call.name):
            if needed in succeeded:
                continue
            if needed not in perhaps:
                return Decision.FAIL, (
                    f"called `{call.name}` before `{needed}` had succeeded; "
                    "the tool catalogue asks for it first"
                )
            doubt = doubt or f"whether {needed} succeeded before {call.name} was not recorded"
        if call.status == "ok":
            succeeded.add(call.name)
        elif call.status is None:
            perhaps.add(call.name)
    return (Decision.INCONCLUSIVE, doubt) if doubt else (Decision.PASS, "every prerequisite held")
