"""The pin is one word, read exactly or not at all."""

import pytest
from agentpolicy.trust.pin import Pin

ROOT = "sha256:" + "a" * 64
WHOLE = Pin(ROOT, 3, "refs/heads/main", "b" * 40, "https://git.example.com/acme/agents")


@pytest.mark.parametrize("pin", [WHOLE, Pin(ROOT, 1, "refs/heads/main")])
def test_a_pin_survives_its_spelling(pin: Pin) -> None:
    assert Pin.parse(str(pin)) == pin


@pytest.mark.parametrize(
    "text",
    [
        "",
        ROOT,
        f"{ROOT};version=1",
        f"{ROOT};ref=refs/heads/main",
        f"{ROOT};version=0;ref=refs/heads/main",
        f"{ROOT};version=1;ref=main",
        f"{ROOT};version=1;ref=refs/heads/main;commit=abc",
        f"{ROOT};version=1;ref=refs/heads/main;trust=all",
        f"{ROOT};version=1;version=2;ref=refs/heads/main",
        f"{ROOT[:-1]};version=1;ref=refs/heads/main",
    ],
)
def test_a_half_written_pin_is_no_pin(text: str) -> None:
    with pytest.raises(ValueError, match="is not a pin"):
        Pin.parse(text)
