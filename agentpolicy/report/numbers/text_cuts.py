"""What judged pairs say about a text threshold, as a page and as JSON."""

from collections.abc import Iterator
from typing import Any

from agentpolicy.base.numbers import plain
from agentpolicy.gate.text_cuts import Cut, Cuts
from agentpolicy.report.numbers.proposal import Proposed, proposal_json, proposal_lines
from agentpolicy.report.words import table

FORMAT_VERSION = 1


def text_cuts_text(cuts: Cuts, scorer: str, evidence: str, proposal: Proposed | None) -> str:
    """Write what was found as a page, ending in a newline."""
    return "\n".join(_lines(cuts, scorer, evidence, proposal)) + "\n"


def _lines(cuts: Cuts, scorer: str, evidence: str, proposal: Proposed | None) -> Iterator[str]:
    low, high = plain(cuts.lowest_equivalent), plain(cuts.highest_other)
    if cuts.proposed is None:
        sign = "<" if cuts.lowest_equivalent < cuts.highest_other else "="
        yield f"not separable: min equivalent {low} {sign} max non-equivalent {high}"
    else:
        threshold = plain(cuts.proposed.threshold)
        yield f"separable: {threshold}, between max non-equivalent {high} and min equivalent {low}"
    yield f"scored by {scorer}; {evidence}"
    yield ""
    head = ("threshold", "lets through", "at most", "stops", "at most")
    yield from table(head, [_row(cut) for cut in cuts.cuts])
    yield ""
    yield "lets through: pairs judged not equivalent that score at the threshold or above"
    yield "stops: equivalent pairs below it; at most: the exact one-sided 95 % bound of each share"
    if proposal is None:
        yield (
            "no threshold is proposed: let another scorer, facts or required content part these "
            "pairs, or look at the nearest ones again"
        )
        return
    yield ""
    yield from proposal_lines(proposal)


def _row(cut: Cut) -> tuple[str, ...]:
    return (
        plain(cut.threshold),
        f"{cut.let_through} of {cut.other}",
        plain(cut.miss_rate_bound),
        f"{cut.stopped} of {cut.equivalent}",
        plain(cut.alarm_rate_bound),
    )


def text_cuts_json(
    cuts: Cuts, scorer: str, evidence: str, proposal: Proposed | None
) -> dict[str, Any]:
    """Write what was found for programs; numbers are text."""
    first = cuts.cuts[0]
    return {
        "format_version": FORMAT_VERSION,
        "separable": cuts.separable,
        "scorer": scorer,
        "min_equivalent": plain(cuts.lowest_equivalent),
        "max_non_equivalent": plain(cuts.highest_other),
        "pairs": first.equivalent + first.other,
        "equivalent": first.equivalent,
        "non_equivalent": first.other,
        "calibrated_on": evidence,
        "threshold": None if cuts.proposed is None else plain(cuts.proposed.threshold),
        "cuts": [_cut_json(cut) for cut in cuts.cuts],
        "proposal": proposal_json(proposal),
    }


def _cut_json(cut: Cut) -> dict[str, Any]:
    return {
        "threshold": plain(cut.threshold),
        "let_through": cut.let_through,
        "stopped": cut.stopped,
        "miss_rate_bound": plain(cut.miss_rate_bound),
        "alarm_rate_bound": plain(cut.alarm_rate_bound),
    }
