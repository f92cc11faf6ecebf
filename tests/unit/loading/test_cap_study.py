"""Cap studies as people write them."""

from fractions import Fraction

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.cap_study import read_cap_study

TABLE = """\
value_per_success_usd: 4.00
rows:
  - {cap: 8, pass_rate: 0.840, mean_cost_usd: "0.21"}
  - {cap: 12, pass_rate: "0.913", mean_cost_usd: 0.28, amber_rate: 0.07}
"""


def test_numbers_are_exact_with_and_without_quotes() -> None:
    study = read_cap_study("study.yaml", TABLE.encode())
    assert study.value_usd == 4
    assert [(row.cap, row.pass_rate, row.mean_cost_usd, row.amber_rate) for row in study.rows] == [
        (8, Fraction("0.84"), Fraction("0.21"), None),
        (12, Fraction("0.913"), Fraction("0.28"), Fraction("0.07")),
    ]


def test_json_lines_hold_the_same_rows() -> None:
    lines = (
        '{"cap": 8, "pass_rate": 0.840, "mean_cost_usd": "0.21"}\n'
        '{"cap": 12, "pass_rate": 0.913, "mean_cost_usd": 0.28, "amber_rate": 0.07}\n'
    )
    same = read_cap_study("study.jsonl", lines.encode())
    assert same.rows == read_cap_study("study.yaml", TABLE.encode()).rows
    assert same.value_usd is None


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("0.840", "1.1", "3:5", "pass_rate 1.1 is more than 1"),
        ("0.840", "-0.1", "3:5", "is no number from 0"),
        ("0.840", '"high"', "3:5", "is no number"),
        ("cap: 12", "cap: 8", "4:5", "cap 8 stands twice"),
        ("cap: 12", "cap: 1.5", "4:5", "is not a whole number of steps"),
        ("cap: 12, ", "", "4:5", "is not a whole number of steps"),
        ("mean_cost_usd: 0.28, ", "", "4:5", "a row needs cap, pass_rate and mean_cost_usd"),
        ("amber_rate", "amber", "4:5", "a row has no 'amber'"),
        ("value_per_success_usd: 4.00", "value: 4.00", "1:1", "has no 'value'"),
        ("4.00", "dear", "1:24", "value_per_success_usd"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, place: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        read_cap_study("study.yaml", TABLE.replace(old, new, 1).encode())
    (problem,) = refused.value.problems
    assert str(problem.position) == f"study.yaml:{place}"
    assert said in problem.message
    assert problem.hint


@pytest.mark.parametrize("text", ["rows: 3\n", "rows:\n  - 3\n", '{"a": 1}'])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_cap_study("study.yaml", text.encode())
    with pytest.raises(InputError):
        read_cap_study("study.jsonl", b"3\n")
