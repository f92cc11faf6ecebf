"""Whatever stands in a log: it is read, or refused in a sentence with its place, and never passes.

Logs of every format are garbled: values of another kind or size, keys that are gone or stand twice,
records that stand twice, bytes that are cut off, and files of two formats run together.
"""

import json
import re
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.gate.budget import judge_budget
from agentpolicy.gate.decision import Decision
from agentpolicy.loading.runs import IMPORTERS, read_runs
from agentpolicy.runs.record import DECODER, ENCODER, filled
from agentpolicy.runs.run_set import RunSet
from tests.evidence import TASK, VARIANT, budget
from tests.unit.loading.importers.logs import LOGS, written

STRANGE: tuple[object, ...] = (
    None, True, False, 0, -1, 1.5, -0.0, 2**53, 10**40, "", "x", "-1", "1e9", " 1", "é\u0301",
    "sha256:" + "0" * 64, [], {}, [None], [[]], {"": {}}, {"a": [{}]}, "x" * 2000,
    "attachment://none", "2026-13-45T99:00:00Z",
)  # fmt: skip
RAW = ("NaN", "-Infinity", "1e400", "1e-400", "0x10", "01", "9" * 400, '"\\ud800"', '"\\u0000"',
       "[" * 300 + "]" * 300, "1" + "0" * 60 + ".5", '{"a": 1, "a": 2}')  # fmt: skip
"""What no writer of JSON in Python would write."""
MARK = "what stands here is written by hand"


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_every_format_is_seen_and_read(name: str) -> None:
    form, values = LOGS[name]
    runs = read_runs([("log", written(values))])
    assert runs.importer == form
    assert not runs.unreadable
    assert_sound(runs)
    assert set(IMPORTERS) == {one for one, _ in LOGS.values()}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", LOGS)
def test_a_garbled_log_is_read_or_refused_with_its_place(name: str, seed: int) -> None:
    hold(name, seed, 40)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 110))
@pytest.mark.parametrize("name", LOGS)
def test_a_great_many_garbled_logs_are_read_or_refused_with_their_place(
    name: str, seed: int
) -> None:
    hold(name, seed, 2_000)


def hold(name: str, seed: int, amount: int) -> None:
    """Garble a log again and again; most of what comes of it must not be the log as it was."""
    random, refused = Random(f"{name} {seed}"), 0
    form, values = LOGS[name]
    for _ in range(amount):
        data = garbled(random, values)
        forced = random.choice((None, None, form))
        try:
            runs = read_runs([("log", data)], forced)
        except AgentPolicyError as error:
            refused += 1
            for problem in error.problems:
                assert_told(str(problem))
            continue
        refused += bool(runs.unreadable)
        for problem in runs.unreadable:
            assert problem.position is not None
            assert problem.position.line >= 1
            assert_told(str(problem))
        assert_sound(runs)
        assert_never_passes(runs)
    assert refused >= amount / 20


def assert_told(words: str) -> None:
    """Hold a refusal to be words for people, and no Python."""
    assert words
    assert "Traceback" not in words
    assert not re.search(r"object has no attribute|NoneType|<class|positional argument", words)


def assert_sound(runs: RunSet) -> None:
    """Hold every record to what the own format allows: an importer may not do what it may not."""
    for record in runs.records:
        assert repr(DECODER.decode(ENCODER.encode(record))) == repr(record)


def assert_never_passes(runs: RunSet) -> None:
    """Hold what could not be read against a pass, whatever the rest shows."""
    if runs.unreadable:
        labels = {"task_type": TASK, "variant": VARIANT}
        ours = RunSet(
            tuple(filled(record, labels) for record in runs.records),
            runs.files,
            runs.formats,
            unreadable=runs.unreadable,
        )
        assert judge_budget(budget(unsafe="1.0"), None, ours).decision is not Decision.PASS


def garbled(random: Random, values: list[Any]) -> bytes:
    """Garble a log in one way, or now and then in two."""
    changed = deepcopy(values)
    by_hand = ""
    for _ in range(random.choice((1, 1, 1, 2))):
        way = random.randrange(8)
        if way < 4:
            _put(random, changed, deepcopy(random.choice(STRANGE)))
        elif way == 4:
            _remove(random, changed)
        elif way == 5:
            _double(random, changed)
        else:
            by_hand = random.choice(RAW)
            _put(random, changed, MARK)
    data = written(changed).replace(json.dumps(MARK).encode(), (by_hand or "null").encode())
    if random.random() < 0.2:
        return _bytes(random, data)
    return data


def _bytes(random: Random, data: bytes) -> bytes:
    """Cut the file off, overwrite a byte, or run it together with one of another format."""
    place = random.randrange(len(data) + 1)
    way = random.randrange(4)
    if way == 0:
        return data[:place]
    if way == 1:
        return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
    other = written(random.choice(list(LOGS.values()))[1])
    return data + other if way == 2 else other + data


def _places(value: object) -> list[tuple[Any, Any]]:
    """List every (container, key) of a tree."""
    found: list[tuple[Any, Any]] = []
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, below in items:
        found += [(value, key), *_places(below)]
    return found


def _put(random: Random, values: list[Any], strange: object) -> None:
    places = _places(values)
    if places:
        holder, key = random.choice(places)
        holder[key] = strange


def _remove(random: Random, values: list[Any]) -> None:
    places = _places(values)
    if places:
        holder, key = random.choice(places)
        del holder[key]


def _double(random: Random, values: list[Any]) -> None:
    lists = [holder for holder, _ in _places(values) if isinstance(holder, list)]
    holder = random.choice([values, *lists])
    if holder:
        holder.append(deepcopy(random.choice(holder)))
