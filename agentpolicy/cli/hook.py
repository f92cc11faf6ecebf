"""`hook`: puts agentpolicy into git's hooks, and takes it out again."""

import os
import shlex
import sys
from pathlib import Path

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.cli.context import repository_here, say
from agentpolicy.cli.entry import EXIT_REFUSED
from agentpolicy.cli.group import Group
from agentpolicy.gitio.hooks import (
    HookMode,
    HookState,
    hook_status,
    install_hooks,
    uninstall_hooks,
)
from agentpolicy.gitio.repository import Repository, open_repository
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.policy_chain import PIN_SETTING

MODE = click.option(
    "--mode", type=click.Choice([str(mode) for mode in HookMode]), default="local",
    show_default=True, help="Which side of a push this repository is on.",
)  # fmt: skip
GIT_DIR = click.option("--git-dir", metavar="D", help="Another repository than the one here.")


@click.group("hook", cls=Group)
def command() -> None:
    """Install git's hooks, or take them out again."""


@command.command("install")
@MODE
@GIT_DIR
@click.option("--root", metavar="PIN", help="Pin to set there, as `agentpolicy init` printed it.")
def install(mode: str, git_dir: str | None, root: str | None) -> int:
    """Install the hooks; those that are there already run first."""
    repository = _repository(git_dir)
    if root is not None:
        repository.set_config(PIN_SETTING, str(_pin(root)))
    for change in install_hooks(repository, HookMode(mode), python=sys.executable):
        chained = f", after {change.hook.chained.name}" if change.hook.chained else ""
        word = "installed" if change.changed else "already there"
        say(f"{change.hook.name}: {word}{chained}")
    if repository.config(PIN_SETTING) is None:
        say("no trust root is pinned yet, and until one is the hooks refuse everything")
        say(f"next: git config {PIN_SETTING} PIN")
    return 0


@command.command("uninstall")
@MODE
@GIT_DIR
def uninstall(mode: str, git_dir: str | None) -> int:
    """Take the hooks out and put back what was there before."""
    for change in uninstall_hooks(_repository(git_dir), HookMode(mode)):
        say(f"{change.hook.name}: {'removed' if change.changed else 'nothing of ours'}")
    return 0


@command.command("status")
@MODE
@GIT_DIR
def status(mode: str, git_dir: str | None) -> int:
    """Say for each hook whether agentpolicy is asked; exit 1 when one is not."""
    hooks = hook_status(_repository(git_dir), HookMode(mode))
    for hook in hooks:
        click.echo(f"{hook.name}: {hook.state}")
    if all(hook.state is HookState.INSTALLED for hook in hooks):
        return 0
    say("where a hook is not installed, git does not ask agentpolicy")
    say(f"next: {_install_command(mode, git_dir)}")
    return EXIT_REFUSED


def _install_command(mode: str, git_dir: str | None) -> str:
    words = ["agentpolicy", "hook", "install"]
    words += ["--mode", mode] if mode != HookMode.LOCAL else []
    words += ["--git-dir", git_dir] if git_dir else []
    return shlex.join(words)


def _repository(git_dir: str | None) -> Repository:
    return open_repository(Path(git_dir), os.environ) if git_dir else repository_here()


def _pin(text: str) -> Pin:
    try:
        return Pin.parse(text)
    except ValueError as error:
        raise InputError(Problem("bad-pin", str(error), "git config agentpolicy.root")) from error
