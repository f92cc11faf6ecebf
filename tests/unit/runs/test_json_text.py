from decimal import Decimal

import pytest
from agentpolicy.runs.json_text import json_text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, Decimal("1.0")),
        (Decimal("1.10"), Decimal("1.1")),
        (0, Decimal("-0.0")),
        ({"a": 1, "b": [2]}, {"b": [Decimal("2.00")], "a": 1}),
    ],
)
def test_equal_values_have_one_text(one: object, other: object) -> None:
    assert json_text(one) == json_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, "1"),
        ("a", "A"),
        ("", None),
        ([1, 2], [2, 1]),
        (Decimal("0.1"), Decimal("0.10000000000000000000000000001")),
        ({}, []),
    ],
)
def test_different_values_have_different_texts(one: object, other: object) -> None:
    assert json_text(one) != json_text(other)


def test_what_is_not_json_has_no_text() -> None:
    with pytest.raises(TypeError):
        json_text({1.5})
