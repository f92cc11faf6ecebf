"""What a set of runs carries, as JSON that other programs may rely on."""

from collections.abc import Sequence
from typing import Any

from agentpolicy.base.numbers import plain
from agentpolicy.report.problems_json import problems_json
from agentpolicy.runs.coverage import Coverage
from agentpolicy.runs.run_set import RunSet

FORMAT_VERSION = 1


def runs_json(
    runs: RunSet, coverage: Coverage, formats: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Write the summary of a set of runs; `formats` is each file's path and importer."""
    return {
        "format_version": FORMAT_VERSION,
        "files": [{"path": path, "format": name} for path, name in formats],
        "digest": runs.digest,
        "runs": coverage.runs,
        "fixtures": coverage.fixtures,
        "statuses": dict(coverage.statuses),
        "correct": coverage.correct,
        "tool_calls": coverage.calls,
        "tokens": coverage.tokens,
        "token_bases": dict(coverage.bases),
        "cost_usd": plain(coverage.cost_usd),
        "at_least": dict(coverage.at_least),
        "carried": dict(coverage.fields),
        "hand_set": sorted(runs.hand_set),
        "unreadable": problems_json(runs.unreadable),
    }
