"""All dimensions of a band, asked about every fixture; none sees what another found."""

from collections.abc import Callable, Collection, Iterator, Sequence

from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.gate.dimensions import (
    arguments,
    calls,
    content,
    facts,
    keys,
    latency,
    requires,
    text,
    tokens,
    tool_order,
)
from agentpolicy.gate.finding import Finding
from agentpolicy.gate.pairing import Fixture

_Judge = Callable[[BandFields, Fixture, Catalogue], Iterator[Finding]]
_OF_A_FIXTURE: Sequence[tuple[Collection[str], _Judge]] = (
    (("tool_order",), lambda fields, one, tools: tool_order.judge(fields, one, tools)),  # noqa: PLW0108 - found when asked
    (("requires",), lambda _, one, tools: requires.judge(one, tools)),
    (("arguments",), lambda fields, one, tools: arguments.judge(fields, one, tools)),  # noqa: PLW0108 - found when asked
    (("required_keys", "optional_keys"), lambda fields, one, _: keys.judge(fields, one)),
    (("text_similarity",), lambda fields, one, _: text.judge(fields, one)),
    (("facts",), lambda fields, one, _: facts.judge(fields, one)),
    (("required_content",), lambda fields, one, _: content.judge(fields, one)),
    (("token_ratio",), lambda fields, one, _: tokens.judge(fields, one)),
    (("tool_calls_ratio",), lambda fields, one, _: calls.judge(fields, one)),
)
"""What judges which dimensions of one fixture."""
_OF_THE_SET = ("latency_ms_p50", "latency_ms_p95")


def findings(
    fields: BandFields,
    fixtures: Sequence[Fixture],
    catalogue: Catalogue,
    wanted: Collection[str] | None = None,
) -> Iterator[Finding]:
    """Give every measured value, ordered by fixture; what is about the whole set comes last.

    `wanted` names the dimensions to ask; None asks all of them.
    """
    judges = [
        judge
        for names, judge in _OF_A_FIXTURE
        if wanted is None or any(name in wanted for name in names)
    ]
    for fixture in fixtures:
        for judge in judges:
            yield from judge(fields, fixture, catalogue)
    if wanted is None or any(name in wanted for name in _OF_THE_SET):
        yield from latency.judge(fields, fixtures)
