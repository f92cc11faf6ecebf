"""The runs of the guided run: made here from a seed, so that the same seed gives the same bytes.

How many runs show what is fixed, because the guided run says what will come out; everything else
(order, names, times, amounts, tokens) is drawn.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Run: TypeAlias = dict[str, object]

_SHAPES = (
    ("calm", 70),
    ("long", 22),
    ("wrong", 5),
    ("no_cost", 2),
    ("no_outcome", 1),
)
"""The kinds of scheduling runs and how many there are of each: 100 in all."""
_PEOPLE = ("amara", "bo", "chidi", "dana", "emil", "farah", "goro", "hana")
_TOPICS = ("design review", "budget round", "interview", "retrospective", "planning")
_ITEMS = ("kettle", "lamp", "raincoat", "headset", "backpack", "desk fan")
REFUNDS = 8
"""Fixtures of the refund agent, two attempts each."""
LATE = "refund-07"
"""The fixture on which the new version reads the whole refund policy, and so uses more tokens."""


@dataclass(frozen=True, slots=True)
class Dice:
    """Draws that depend on the seed and on what is drawn, never on the order of drawing."""

    seed: int

    def between(self, low: int, high: int, *what: object) -> int:
        """Draw a whole number from `low` through `high`."""
        told = "/".join(str(part) for part in (self.seed, *what))
        drawn = int.from_bytes(hashlib.sha256(told.encode("utf-8")).digest()[:8], "big")
        return low + drawn % (high - low + 1)

    def pick(self, options: Sequence[str], *what: object) -> str:
        """Draw one of several words."""
        return options[self.between(0, len(options) - 1, *what)]


def run_files(seed: int) -> Mapping[str, str]:
    """Make every run file of the guided run, by name."""
    dice = Dice(seed)
    return {
        "schedule-meeting.jsonl": _lines(_scheduling(dice)),
        "refund-baseline.jsonl": _lines(_refunds(dice, candidate=False)),
        "refund-candidate.jsonl": _lines(_refunds(dice, candidate=True)),
    }


def _lines(runs: Iterable[Run]) -> str:
    return "".join(json.dumps(run, ensure_ascii=False) + "\n" for run in runs)


def _scheduling(dice: Dice) -> Iterable[Run]:
    """Make 100 runs of an agent that books meetings: 50 requests, two attempts at each."""
    shapes = [shape for shape, count in _SHAPES for _ in range(count)]
    order = sorted(range(len(shapes)), key=lambda place: dice.between(0, 2**60, "order", place))
    for number, place in enumerate(order):
        yield _meeting(dice, number, shapes[place])


def _meeting(dice: Dice, number: int, shape: str) -> Run:
    """Make one run; a long one searches on past the soft limit of 12 steps, never to the hard."""
    low, high = (13, 19) if shape == "long" else (5, 11)
    steps = dice.between(low, high, "steps", number)
    guests = [dice.pick(_PEOPLE, "guest", number, place) for place in range(3)]
    topic = dice.pick(_TOPICS, "topic", number)
    day, hour = dice.between(10, 27, "day", number), dice.between(9, 16, "hour", number)
    slot = f"2026-03-{day}T{hour:02}:00Z"
    searches: list[Run] = [
        {"name": "calendar.search", "args": {"who": guests[place % 3], "page": place // 3}}
        for place in range(steps - 2)
    ]
    booked: list[Run] = [
        {"name": "calendar.create_event", "args": {"title": topic, "start": slot}},
        {"name": "mail.send_invite", "args": {"to": sorted(set(guests))}},
    ]
    cents = 3 * steps + dice.between(2, 9, "cents", number)
    outcome: Run = {"evaluator": "end-state@1"}
    if shape != "no_outcome":
        outcome["correct"] = shape != "wrong"
    run: Run = {
        "run_id": f"meeting-{number:03}",
        "fixture_id": f"request-{number // 2 + 1:02}",
        "attempt": number % 2 + 1,
        "agent": "scheduler",
        "task_type": "schedule_meeting",
        "variant": "multi_attendee_cross_tz",
        "outcome": outcome,
        "tool_calls": [{**call, "status": "ok"} for call in (*searches, *booked)],
        "steps": steps,
        "latency_ms": 900 * steps + dice.between(0, 1800, "latency", number),
        "tokens": {"input": 1400 * steps, "output": 90 * steps + 40},
        "final_answer": f"Booked: {topic}, {slot}, with {', '.join(sorted(set(guests)))}.",
    }
    return run if shape == "no_cost" else run | {"cost_usd": f"{cents / 100:.2f}"}


def _refunds(dice: Dice, *, candidate: bool) -> Iterable[Run]:
    """Make the runs of one version of an agent that refunds orders."""
    for number in range(1, REFUNDS + 1):
        for attempt in (1, 2):
            yield _refund(dice, number, attempt, candidate=candidate)


def _refund(dice: Dice, number: int, attempt: int, *, candidate: bool) -> Run:
    """Make one refund; both versions may look up the order and the policy in either order."""
    side = "candidate" if candidate else "baseline"
    fixture = f"refund-{number:02}"
    order = f"A-{dice.between(1000, 9999, 'order', number)}"
    cents = dice.between(900, 8900, "amount", number)
    amount = f"{cents // 100}.{cents % 100:02}"
    item = dice.pick(_ITEMS, "item", number)
    looked_up: list[Run] = [
        {"name": "orders.lookup", "args": {"order": order}},
        {"name": "policy.search", "args": {"topic": "refund window"}},
    ]
    if dice.between(0, 1, "route", side, number, attempt):
        looked_up.reverse()
    done: list[Run] = [
        {"name": "refunds.create", "args": {"order": order, "usd": amount}},
        {"name": "mail.reply", "args": {"order": order}},
    ]
    tokens = 2400 + dice.between(0, 300, "tokens", number)
    if candidate and fixture == LATE:
        tokens = tokens * 8 // 5
    tokens += dice.between(-60, 60, "jitter", side, number, attempt)
    output: Run = {"order": order, "refunded_usd": amount}
    run: Run = {
        "run_id": f"{side}-{number:02}-{attempt}",
        "fixture_id": fixture,
        "attempt": attempt,
        "agent": "refund-agent",
        "subject": "refund-agent@2" if candidate else "refund-agent@1",
        "outcome": {"correct": True, "evaluator": "end-state@1"},
        "tool_calls": [{**call, "status": "ok"} for call in (*looked_up, *done)],
        "latency_ms": 3800 + dice.between(0, 900, "latency", side, number, attempt),
        "tokens": {"input": tokens, "output": 180 + dice.between(0, 20, "output", number)},
        "output": output | ({"sources": ["refund-policy"]} if candidate else {}),
        "final_answer": _answer(item, order, amount, "now " if candidate else ""),
    }
    return run


def _answer(item: str, order: str, amount: str, changed: str) -> str:
    """Word an answer; the new version words it a little differently."""
    return (
        f"I have {changed}refunded ${amount} for the {item} of order {order}. The money reaches "
        "your card within five working days, and a confirmation is on its way to your inbox."
    )
