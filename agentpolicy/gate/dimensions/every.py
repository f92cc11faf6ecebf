"""All dimensions of a band, asked about every fixture; none sees what another found."""

from collections.abc import Iterator, Sequence

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


def findings(
    fields: BandFields, fixtures: Sequence[Fixture], catalogue: Catalogue
) -> Iterator[Finding]:
    """Give every measured value, ordered by fixture; what is about the whole set comes last."""
    for fixture in fixtures:
        yield from tool_order.judge(fields, fixture, catalogue)
        yield from requires.judge(fixture, catalogue)
        yield from arguments.judge(fields, fixture, catalogue)
        yield from keys.judge(fields, fixture)
        yield from text.judge(fields, fixture)
        yield from facts.judge(fields, fixture)
        yield from content.judge(fields, fixture)
        yield from tokens.judge(fields, fixture)
        yield from calls.judge(fields, fixture)
    yield from latency.judge(fields, fixtures)
