"""The guided run as a page for a terminal: numbered promises, commands as typed, telling lines."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agentpolicy.workflows.demo.play import Broken, Played, Promise, Told

_GUTTER = "    │ "
_BOLD, _DIM, _GREEN, _RED, _CYAN = "1", "2", "32", "31", "36"
_PART = re.compile(r'(?:--?[\w-]+ (?!-))?(?:[^\s"]|"[^"]*")+')
"""A part of a command that stays on one line: a word, or an option with its value."""


@dataclass(slots=True)
class Page:
    """Writes what was played, line by line, and counts the promises."""

    width: int
    colour: bool
    _promises: list[str] = field(default_factory=list)

    def lines(self, told: Told) -> Iterator[str]:
        """Write one thing that was played."""
        if isinstance(told, Promise):
            yield from self._heading(told)
        elif isinstance(told, Played):
            yield from self._step(told)
        else:
            yield from self._broken(told)

    def end(self, seconds: float, kept: Path | None) -> Iterator[str]:
        """Write how it ended, and where to look next."""
        yield ""
        yield self._in(_BOLD, f"All {len(self._promises) - 1} promises kept, in {seconds:.0f} s.")
        if kept is None:
            yield "Nothing was left behind; with --keep the repository stays, to look at."
            return
        yield f"The repository is in {kept}. There you may try:"
        yield from (f"  cd {kept}", "  git log -p", "  agentpolicy diff HEAD~2 HEAD --explain")

    def _heading(self, promise: Promise) -> Iterator[str]:
        number = len(self._promises)
        self._promises.append(promise.title)
        title = f"{number}. {promise.title}" if number else promise.title
        yield ""
        yield self._in(_BOLD, title)
        yield self._in(_DIM, "─" * len(title))

    def _step(self, played: Played) -> Iterator[str]:
        yield ""
        yield from textwrap.wrap(played.step.why, self.width)
        if played.step.edit is not None:
            yield self._in(_DIM, f"    {played.step.edit.path}")
            yield self._in(_RED, f"    - {played.step.edit.old}")
            yield self._in(_GREEN, f"    + {played.step.edit.new}")
        for path in played.step.files:
            yield self._in(_DIM, f"    wrote {path}")
        yield from self._command(played.command)
        gutter = self._in(_DIM, _GUTTER)
        for line in played.lines:
            yield from (gutter + part for part in self._fitted(line))
        if played.code:
            yield gutter + self._in(_RED, f"exit {played.code}")

    def _fitted(self, line: str) -> list[str]:
        """Wrap a sentence; cut a row of a table, whose columns would fall apart."""
        width = self.width - len(_GUTTER)
        if "  " in line:
            return [line if len(line) <= width else line[: width - 1] + "…"]
        return textwrap.wrap(line, width, break_on_hyphens=False, subsequent_indent="  ")

    def _command(self, command: str) -> Iterator[str]:
        """Write a command as it is typed, broken between words where it is long."""
        line = "    $"
        for part in _PART.findall(command):
            if len(line) + len(part) + 3 > self.width and line.strip() != "$":
                yield self._in(_CYAN, f"{line} \\")
                line = "       "
            line += f" {part}"
        yield self._in(_CYAN, line)

    def _broken(self, broken: Broken) -> Iterator[str]:
        yield ""
        yield self._in(_RED, f"Not kept: {broken.promise.title}")
        yield from self._command(broken.command)
        yield f"    {broken.why}. It wrote:"
        yield textwrap.indent(broken.output.rstrip() or "(nothing)", _GUTTER)

    def _in(self, style: str, text: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.colour else text
