"""Small words that every page needs: how many of something, and columns that line up."""

from collections.abc import Iterator, Sequence


def counted(number: int, noun: str, plural: str = "") -> str:
    """Write a number of things, `1 run` or `2 runs`."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def aligned(numbers: Sequence[str]) -> tuple[str, ...]:
    """Give plain decimals as many places as the longest has, so that they can be compared."""
    places = max((len(_places(number)) for number in numbers), default=0)
    return tuple(_padded(number, places) for number in numbers)


def _padded(number: str, places: int) -> str:
    if not places:
        return number
    return f"{number.partition('.')[0]}.{_places(number).ljust(places, '0')}"


def _places(number: str) -> str:
    return number.partition(".")[2]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align columns by width, two spaces apart and two in."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  " + "  ".join(cells).rstrip()
