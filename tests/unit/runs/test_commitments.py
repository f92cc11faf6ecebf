import pytest
from agentpolicy.runs.commitments import is_commitment, text_digest

ONE = "sha256:" + "1" * 64


@pytest.mark.parametrize("value", [ONE, "hmac-" + ONE])
def test_a_digest_stands_for_a_value(value: str) -> None:
    assert is_commitment(value)
    assert text_digest(value) == value


@pytest.mark.parametrize(
    "value", ["", "sha256:1", ONE + "1", ONE.upper(), "x" + ONE, 5, None, [ONE]]
)
def test_anything_else_is_the_value_itself(value: object) -> None:
    assert not is_commitment(value)


def test_a_text_is_named_by_its_bytes() -> None:
    assert text_digest("hi") == (
        "sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"
    )
