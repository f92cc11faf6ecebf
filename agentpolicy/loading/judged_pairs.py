"""Reads judged pairs: one a line, two texts or a score, and whether a person calls them equivalent.

Under `lexical-indel@1` the score is computed here from the texts; the score of any other scorer is
what the line says.
"""

from collections.abc import Mapping
from decimal import Decimal

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.source import Position
from agentpolicy.gate.text_cuts import JudgedPair
from agentpolicy.loading.runs_json import json_lines
from agentpolicy.runs.deltas import LEXICAL, recorded_score, similarity

_KEYS = frozenset({"id", "before", "after", "score", "equivalent"})
_LINE = '{"before": "…", "after": "…", "equivalent": true}, or a "score" in place of the texts'


def read_judged_pairs(path: str, data: bytes, scorer: str | None) -> tuple[JudgedPair, ...]:
    """Read every pair; `scorer` is what measures, None where nobody names one.

    Raises:
        InputError: with every line that is no judged pair.
    """
    pairs: list[JudgedPair] = []
    problems: list[Problem] = []
    for at, written in json_lines(path, data):
        try:
            pairs.append(_pair(at, written, scorer))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(*problems)
    return tuple(pairs)


def _pair(at: Position, written: object, scorer: str | None) -> JudgedPair:
    if not isinstance(written, Mapping):
        raise _refused(at, "this line is not an object")
    unknown = sorted(set(written) - _KEYS)
    if unknown:
        raise _refused(at, f"a judged pair has no {unknown[0]!r}")
    equivalent = written.get("equivalent")
    if not isinstance(equivalent, bool):
        raise _refused(at, f"equivalent is {equivalent!r}, where a person's yes or no is needed")
    texts = written.get("before"), written.get("after")
    if scorer in {None, LEXICAL} and texts != (None, None):
        before, after = texts
        if not isinstance(before, str) or not isinstance(after, str):
            raise _refused(at, "before and after are not both texts")
        return JudgedPair(similarity(before, after), equivalent)
    return JudgedPair(_score(at, written, scorer), equivalent)


def _score(at: Position, written: Mapping[str, object], scorer: str | None) -> Decimal:
    if scorer is None:
        raise _refused(
            at,
            "a recorded score does not say what measured it",
            "name it: --scorer NAME@VERSION, as the band names it",
        )
    score = recorded_score(written.get("score"))
    if score is None:
        raise _refused(at, f"score {written.get('score')!r} is no number from 0 to 1")
    return score


def _refused(at: Position, message: str, hint: str = f"write a line such as {_LINE}") -> InputError:
    return InputError(Problem("judged-pair", message, hint, at.path, at))
