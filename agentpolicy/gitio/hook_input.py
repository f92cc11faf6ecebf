"""What git tells the push hooks on standard input."""

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.values import dataclass
from agentpolicy.gitio.raw import is_oid, zero_oid
from agentpolicy.gitio.repository import text_of


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """One ref of the receiving repository that a push would move."""

    ref: str
    """The full name on the receiving side."""
    old: str | None
    """Where it is; None when it does not exist yet."""
    new: str | None
    """Where it would be; None when it would be deleted."""


def parse_pre_push(data: bytes) -> tuple[RefUpdate, ...]:
    """Read `<local ref> <local id> <remote ref> <remote id>` lines, in order.

    Raises:
        UndecidedError: a line of another shape.
    """
    updates: list[RefUpdate] = []
    for line in _lines(data):
        # what is pushed may be any expression, spaces included; the other three never hold one
        match line.rsplit(" ", 3):
            case [_, new, ref, old]:
                updates.append(_update(line, ref, old=old, new=new))
            case _:
                raise _malformed(line)
    return tuple(updates)


def parse_pre_receive(data: bytes) -> tuple[RefUpdate, ...]:
    """Read `<old id> <new id> <ref>` lines, in order.

    Raises:
        UndecidedError: a line of another shape.
    """
    updates: list[RefUpdate] = []
    for line in _lines(data):
        match line.split(" "):
            case [old, new, ref]:
                updates.append(_update(line, ref, old=old, new=new))
            case _:
                raise _malformed(line)
    return tuple(updates)


def _lines(data: bytes) -> list[str]:
    text = text_of(data)
    if text and not text.endswith("\n"):
        raise _malformed(text.rpartition("\n")[2])
    return text.split("\n")[:-1]


def _update(line: str, ref: str, *, old: str, new: str) -> RefUpdate:
    for object_format in ("sha1", "sha256"):
        if is_oid(old, object_format) and is_oid(new, object_format) and ref.startswith("refs/"):
            zero = zero_oid(object_format)
            return RefUpdate(ref, None if old == zero else old, None if new == zero else new)
    raise _malformed(line)


def _malformed(line: str) -> UndecidedError:
    message = f"git told the hook {line!r}, which is not a ref update."
    return UndecidedError(Problem("hook-input", message, "agentpolicy hook status"))
