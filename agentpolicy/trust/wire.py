"""The SSH wire encoding (RFC 4251, section 5), read strictly.

Every reader here refuses a second spelling of the same value, so equal keys have equal bytes.
"""

from agentpolicy.base.values import dataclass

_LENGTH = 4
_SIGN = 0x80


@dataclass(slots=True)
class WireReader:
    """Takes fields off the front of a buffer; `end` says that nothing may be left."""

    data: bytes
    at: int = 0

    def take(self, count: int) -> bytes:
        """Take exactly `count` bytes.

        Raises:
            ValueError: fewer are left.
        """
        part = self.data[self.at : self.at + count]
        if len(part) != count:
            raise ValueError("the encoding ends too early")
        self.at += count
        return part

    def uint32(self) -> int:
        """Take a 32-bit unsigned integer."""
        return int.from_bytes(self.take(_LENGTH), "big")

    def string(self) -> bytes:
        """Take a length and that many bytes.

        Raises:
            ValueError: fewer are left.
        """
        start = self.at + _LENGTH
        end = start + int.from_bytes(self.data[self.at : start], "big")
        if end > len(self.data):
            raise ValueError("the encoding ends too early")
        self.at = end
        return self.data[start:end]

    def text(self) -> str:
        """Take a string that names something, in printable ASCII.

        Raises:
            ValueError: it holds anything else.
        """
        name = self.string().decode("ascii", "replace")
        if not name.isascii() or not name.isprintable():
            raise ValueError("a name in the encoding is not printable ASCII")
        return name

    def mpint(self) -> int:
        """Take a positive integer in its shortest form.

        Raises:
            ValueError: it is zero, negative, or padded with a zero byte it does not need.
        """
        raw = self.string()
        if not raw or raw[0] & _SIGN:
            raise ValueError("an integer in the encoding is not positive")
        if raw[0] == 0 and (len(raw) == 1 or not raw[1] & _SIGN):
            raise ValueError("an integer in the encoding is not in its shortest form")
        return int.from_bytes(raw, "big")

    def end(self) -> None:
        """Refuse bytes that nobody asked for.

        Raises:
            ValueError: something is left.
        """
        if self.at != len(self.data):
            raise ValueError("the encoding has trailing bytes")


def string(data: bytes) -> bytes:
    """Write a length and the bytes."""
    return len(data).to_bytes(_LENGTH, "big") + data


def mpint(value: int) -> bytes:
    """Write a positive integer in its shortest form."""
    return string(value.to_bytes(value.bit_length() // 8 + 1, "big"))
