"""A promise counts as kept only if every step did what the page says."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from agentpolicy.workflows.demo.play import Broken, Edit, Played, Promise, Step, Told, play
from agentpolicy.workflows.demo.scratch import Scratch, scratch_environment, set_up


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return set_up(tmp_path, os.environ, ("alice",), {"runs.jsonl": "{}\n"})


def played(
    scratch: Scratch, *steps: Step, known: Mapping[str, str] | None = None
) -> Sequence[Told]:
    return tuple(play([Promise("It holds", steps)], scratch, known or {}))


def broken(told: Sequence[Told]) -> Broken:
    assert isinstance(told[-1], Broken), told
    return told[-1]


def test_a_step_that_goes_as_it_says_shows_its_telling_lines(scratch: Scratch) -> None:
    step = Step("It begins.", "git init -b main", ("Initialized empty",))
    _, told = played(scratch, step)
    assert isinstance(told, Played)
    assert len(told.lines) == 1


def test_another_exit_code_breaks_the_promise_and_ends_the_run(scratch: Scratch) -> None:
    told = played(scratch, Step("", "git nonsense"), Step("", "git init"))
    assert broken(told).why == "it exits 1 instead of 0"
    assert len(told) == 2


def test_a_refusal_that_was_promised_and_does_not_come_breaks_it(scratch: Scratch) -> None:
    assert "exits 0 instead of 1" in broken(played(scratch, Step("", "git init", exits=1))).why


def test_words_that_are_not_said_break_it_and_the_output_is_told(scratch: Scratch) -> None:
    why = broken(played(scratch, Step("", "git init", ("All is well",))))
    assert why.why == "it does not say 'All is well'"
    assert "Initialized" in why.output


def test_an_edit_of_what_is_not_there_breaks_it(scratch: Scratch) -> None:
    scratch.write("rule.txt", "one\n")
    step = Step("", "git init", edit=Edit("rule.txt", "two", "three"))
    assert "does not hold 'two'" in broken(played(scratch, step)).why


def test_a_value_kept_from_one_step_is_typed_and_expected_in_the_next(scratch: Scratch) -> None:
    first = Step("", "git init -q -b {branch}")
    second = Step("", "git symbolic-ref HEAD", keeps={"ref": r"(refs/heads/\w+)"})
    third = Step("", "git check-ref-format --branch {branch}", ("{branch}",))
    told = played(scratch, first, second, third, known={"branch": "trunk"})
    assert isinstance(told[-1], Played)
    assert told[-1].command == "git check-ref-format --branch trunk"
    assert told[-1].lines == ("trunk",)


def test_a_value_that_cannot_be_kept_breaks_it(scratch: Scratch) -> None:
    step = Step("", "git init", keeps={"verdict": "recorded (.*)"})
    assert broken(played(scratch, step)).why == "it does not tell its verdict"


def test_settings_of_the_machine_do_not_reach_the_commands() -> None:
    ours = {
        "GIT_DIR": "/elsewhere",
        "AGENTPOLICY_KEY": "/key",
        "GIT_AUTHOR_NAME": "me",
        "PATH": "p",
    }
    environ = scratch_environment(ours)
    assert environ["PATH"] == "p"
    assert environ["GIT_AUTHOR_NAME"] == "demo"
    assert environ.keys().isdisjoint({"GIT_DIR", "AGENTPOLICY_KEY"})


def test_keys_are_for_their_owner_alone(scratch: Scratch) -> None:
    key = scratch.folder / "keys" / "alice"
    assert key.stat().st_mode & 0o077 == 0
    assert key.with_suffix(".pub").read_text().startswith("ssh-ed25519 ")
