"""Small scenes around a known counterexample, where a wide search would seldom come."""

from collections.abc import Callable, Sequence
from random import Random

from agentpolicy.runs.record import ToolCall
from tests.evidence import run, run_set
from tests.laws.band_runs import COMMITMENTS
from tests.laws.budget_runs import SUBJECT, Evidence
from tests.laws.policy_pairs import AGENT
from tests.laws.routes import called

Make = Callable[[Random, Sequence[str]], Evidence]
NINE, EIGHT, SEVEN = ("x" * alike + "y" * (10 - alike) for alike in (9, 8, 7))


def answers(fixtures: str, attempts: int, *said: str | None) -> Make:
    """Let each attempt at each fixture answer one of a few texts, or leave it out of the log."""

    def evidence(random: Random, _: Sequence[str]) -> Evidence:
        references = run_set(
            *(run(name, 1, "b", tool_calls=(), final_answer="x" * 10) for name in fixtures)
        )
        candidate = run_set(
            *(
                run(
                    name,
                    number,
                    agent=AGENT,
                    subject=SUBJECT,
                    tool_calls=(),
                    final_answer=random.choice(said),
                )
                for name in fixtures
                for number in range(attempts)
            )
        )
        return Evidence(candidate, references)

    return evidence


def arguments(*passed: object) -> Make:
    """Let one call pass `id` and `q`, of which the reference passes the first of some values."""

    def evidence(random: Random, _: Sequence[str]) -> Evidence:
        shown = {"id": passed[0], "q": passed[0]}
        drawn = {name: random.choice(passed) for name in shown}
        before = run("f", 1, "b", tool_calls=(ToolCall("search", shown, "ok"),))
        after = run("f", tool_calls=(ToolCall("search", drawn, "ok"),))
        return Evidence(run_set(after), run_set(before))

    return evidence


def routes(first: str, *others: str) -> Make:
    """Let one attempt go the way of the reference, or another one."""

    def evidence(random: Random, _: Sequence[str]) -> Evidence:
        before = run("f", 1, "b", tool_calls=called(first))
        after = run("f", tool_calls=called(random.choice((first, *others))))
        return Evidence(run_set(after), run_set(before))

    return evidence


EXCHANGED = routes("search fetch write", "fetch search write", "search write fetch")
HIDDEN = arguments(*COMMITMENTS)
COUNTS = arguments(1, 2, 3)
TEXTS = arguments("Ab", " ab", "Ac", "zz")
