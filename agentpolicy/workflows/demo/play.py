"""Plays promises step by step with the real command line, and stops at the first one not kept."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from agentpolicy.workflows.demo.scratch import Ran, Scratch


@dataclass(frozen=True, slots=True)
class Edit:
    """One text replaced in one file of the work tree."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Step:
    """One command as it is typed, and what must come of it."""

    why: str
    """One sentence: what happens and why it matters. Empty where the step before says it."""
    command: str
    """As typed; `{name}` stands for a value that is known by then."""
    says: tuple[str, ...] = ()
    """What its output must hold. The lines that hold it are shown."""
    exits: int = 0
    keeps: Mapping[str, str] = field(default_factory=dict)
    """Values to take from its output for later steps: a pattern with one group, by name."""
    edit: Edit | None = None
    """What is edited before."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What is written before, by path."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised, and the steps that show it kept."""

    title: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Played:
    """A step that went as it should."""

    step: Step
    command: str
    """As it was typed."""
    code: int
    lines: tuple[str, ...]
    """The telling lines of its output."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A step that did not go as it should: the promise is not kept."""

    promise: Promise
    command: str
    why: str
    output: str


Told: TypeAlias = Promise | Played | Broken


def play(promises: Sequence[Promise], scratch: Scratch, known: Mapping[str, str]) -> Iterator[Told]:
    """Play every step of every promise in order; end after the first that breaks.

    Args:
        promises: what to show.
        scratch: where to show it.
        known: the values that commands may name from the beginning.

    Raises:
        UndecidedError: a command cannot be started or takes far too long.
    """
    values = dict(known)
    for promise in promises:
        yield promise
        for step in promise.steps:
            told = _step(promise, step, scratch, values)
            yield told
            if isinstance(told, Broken):
                return


def _step(
    promise: Promise, step: Step, scratch: Scratch, values: dict[str, str]
) -> Played | Broken:
    """Play one step, and take from its output what later ones need."""
    command = _filled(step.command, values)
    for path, text in step.files.items():
        scratch.write(path, text)
    edit = step.edit
    if edit is not None and not scratch.replace(edit.path, edit.old, edit.new):
        return Broken(promise, command, f"{edit.path} does not hold {edit.old!r}", "")
    ran = scratch.run(command)
    wanted = [_filled(text, values) for text in step.says]
    why = _fault(step, wanted, ran)
    for name, pattern in step.keeps.items():
        found = re.search(pattern, ran.output)
        if found is None:
            why = why or f"it does not tell its {name}"
        else:
            values[name] = found[1]
    if why:
        return Broken(promise, command, why, ran.output)
    return Played(step, command, ran.code, tuple(_telling(wanted, ran.output)))


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _fault(step: Step, wanted: Sequence[str], ran: Ran) -> str:
    """Say how a command did otherwise than the step says; empty when it did not."""
    if ran.code != step.exits:
        return f"it exits {ran.code} instead of {step.exits}"
    silent = [text for text in wanted if text not in ran.output]
    return f"it does not say {silent[0]!r}" if silent else ""


def _telling(wanted: Sequence[str], output: str) -> Iterator[str]:
    """Give the first line that holds each wanted text, each line once."""
    lines = dict.fromkeys(
        next(line for line in output.splitlines() if text in line) for text in wanted
    )
    return (line.strip() for line in lines)
