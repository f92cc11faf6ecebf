import pytest
from agentpolicy.order.change import ChangeClass, Effect, combine

NEUTRAL, RECORD, TIGHTER, LOOSER = Effect.NEUTRAL, Effect.RECORD, Effect.TIGHTER, Effect.LOOSER
INCOMPARABLE, ROOT, UNKNOWN = Effect.INCOMPARABLE, Effect.ROOT, Effect.UNKNOWN


@pytest.mark.parametrize(
    ("effects", "expected"),
    [
        ((), ChangeClass.NEUTRAL),
        ((NEUTRAL, RECORD), ChangeClass.NEUTRAL),
        ((TIGHTER, NEUTRAL, RECORD), ChangeClass.TIGHTER),
        ((LOOSER, NEUTRAL, RECORD), ChangeClass.LOOSER),
        ((TIGHTER, LOOSER), ChangeClass.INCOMPARABLE),
        ((TIGHTER, INCOMPARABLE), ChangeClass.INCOMPARABLE),
        ((LOOSER, INCOMPARABLE), ChangeClass.INCOMPARABLE),
        ((INCOMPARABLE,), ChangeClass.INCOMPARABLE),
        ((ROOT,), ChangeClass.INCOMPARABLE),
        ((ROOT, TIGHTER), ChangeClass.INCOMPARABLE),
        ((UNKNOWN,), ChangeClass.UNKNOWN),
        ((UNKNOWN, TIGHTER), ChangeClass.UNKNOWN),
        ((UNKNOWN, ROOT, LOOSER), ChangeClass.UNKNOWN),
    ],
)
def test_the_class_is_derived_from_the_effects(
    effects: tuple[Effect, ...], expected: ChangeClass
) -> None:
    assert combine(effects) is expected
