"""`gate`: judges runs under the policy in force, or under a proposed one."""

import functools
import os
import secrets
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import click

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.cli.context import (
    FORMAT,
    columns_folder,
    instant_or_now,
    pair,
    reading,
    repository_here,
    say,
    typed_without,
    typed_without_values,
    write_json,
)
from agentpolicy.cli.entry import EXIT_UNDECIDED
from agentpolicy.cli.group import Group
from agentpolicy.cli.signing import key_or_default
from agentpolicy.gitio.signing import load_signer
from agentpolicy.report.gate_json import gate_json
from agentpolicy.report.gate_text import gate_text
from agentpolicy.report.runs_text import unreadable_text
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.confirmed import Confirmation, confirmation, confirmation_at
from agentpolicy.workflows.gate import (
    Judged,
    exit_code,
    gate_band,
    gate_budget,
    gate_release,
    policy_json,
    read_release,
)
from agentpolicy.workflows.policy_chain import pin_of
from agentpolicy.workflows.policy_source import PolicySource, proposed_policy, recorded_policy
from agentpolicy.workflows.record import recorder
from agentpolicy.workflows.run_files import RunFiles
from agentpolicy.workflows.verdict import record_opening, record_verdict, statement_of


@dataclass(frozen=True, slots=True)
class _Asked:
    """The options every gate command shares."""

    proposed: Path | None
    policy_ref: str | None
    policy_commit: str | None
    labels: tuple[str, ...]
    input_format: str | None
    record: bool
    key: str | None
    as_of: str | None
    form: str


_SHARED = (
    click.option("--proposed", type=click.Path(path_type=Path), metavar="PATH",
                 help="Judge by an unsigned file or policies folder; cannot be recorded."),
    click.option("--policy-ref", metavar="REF", help="Another ref than the policy ref."),
    click.option("--policy-commit", metavar="C", help="Another commit than the tip."),
    click.option("--set", "labels", multiple=True, metavar="FIELD=VALUE",
                 help="Fill in what the log does not carry; kept as set by hand."),
    click.option("--input-format", metavar="NAME", help="Read the runs as this format."),
    click.option("--record", is_flag=True, help="Sign the verdict and append it to the log."),
    click.option("--key", metavar="KEY", help="SSH key file to sign the verdict with."),
    click.option("--as-of", metavar="INSTANT", help="Judge dates as of then; never recorded."),
    FORMAT,
)  # fmt: skip


def _shared(function: Callable[..., int]) -> Callable[..., int]:
    """Give a command the shared options, gathered into one value."""

    @functools.wraps(function)
    def gathered(**options: Any) -> int:  # noqa: ANN401 - click passes options by name
        names = [field.name for field in fields(_Asked)]
        asked = _Asked(**{name: options.pop(name) for name in names})
        return function(asked=asked, **options)

    return functools.reduce(
        lambda decorated, option: option(decorated), reversed(_SHARED), gathered
    )


@click.group("gate", cls=Group)
def command() -> None:
    """Judge runs under the policy in force."""


@command.command("budget")
@click.option("--budget", "name", required=True, metavar="NAME", help="The budget to judge by.")
@click.option("--runs", required=True, multiple=True, metavar="FILE", help="Run file or folder.")
@_shared
def budget(asked: _Asked, name: str, runs: tuple[str, ...]) -> int:
    """Judge runs against a budget."""
    at = instant_or_now(asked.as_of)
    source = _source(asked, at, f"policies/budgets/{name}.yaml")
    pen = _pen(asked, source)
    confirmed = _confirmation(asked, source, at)
    files = _files(asked, runs)
    source.document(f"policies/budgets/{name}.yaml")  # told before any file is looked for
    with reading(files.to_watch()) as progress:
        judged = gate_budget(
            name, files, source, at, confirmed, progress, None if asked.record else columns_folder()
        )
    return _answer(asked, judged, pen)


@command.command("band")
@click.option("--agent", required=True, metavar="NAME", help="Whose band to judge by.")
@click.option("--baseline", required=True, multiple=True, metavar="FILE", help="Reference runs.")
@click.option("--candidate", required=True, multiple=True, metavar="FILE", help="Runs on trial.")
@_shared
def band(asked: _Asked, agent: str, baseline: tuple[str, ...], candidate: tuple[str, ...]) -> int:
    """Judge a candidate against its reference."""
    at = instant_or_now(asked.as_of)
    source = _source(asked, at, f"policies/bands/{agent}.yaml")
    pen = _pen(asked, source)
    confirmed = _confirmation(asked, source, at)
    reference, trial = _files(asked, baseline), _files(asked, candidate)
    return _answer(asked, gate_band(agent, reference, trial, source, at, confirmed), pen)


@command.command("release")
@click.option("--agent", required=True, metavar="NAME", help="Whose release it is.")
@click.option("--baseline", required=True, multiple=True, metavar="FILE", help="Reference runs.")
@click.option("--candidate", required=True, multiple=True, metavar="FILE", help="Runs on trial.")
@_shared
def release(
    asked: _Asked, agent: str, baseline: tuple[str, ...], candidate: tuple[str, ...]
) -> int:
    """Judge a release by its band and every budget it falls under, in one verdict."""
    at = instant_or_now(asked.as_of)
    source = _source(asked, at, f"policies/bands/{agent}.yaml")
    pen = _pen(asked, source)
    confirmed = _confirmation(asked, source, at)
    trial = read_release(agent, _files(asked, baseline), _files(asked, candidate), source)
    if pen is not None and record_opening(repository_here(), trial, pen.signer, pen.token, at):
        say("opened: the log now holds that this release is being judged")
    return _answer(asked, gate_release(trial, at, confirmed), pen)


@dataclass(frozen=True, slots=True)
class _Pen:
    """Who records, and the random id of this run."""

    signer: Signer
    token: str


def _pen(asked: _Asked, source: PolicySource) -> _Pen | None:
    signer = _signer(asked, source)
    return None if signer is None else _Pen(signer, secrets.token_hex(8))


def _source(asked: _Asked, at: Instant, wanted: str) -> PolicySource:
    if asked.proposed is not None:
        if asked.record:
            raise InputError(
                Problem("record-proposed", "a verdict under a proposed policy is never recorded",
                        typed_without("--record"))
            )  # fmt: skip
        return proposed_policy(asked.proposed, wanted)
    if asked.record and asked.as_of is not None:
        raise InputError(
            Problem("record-as-of", "a verdict as of another instant is never recorded",
                    typed_without("--record"))
        )  # fmt: skip
    return recorded_policy(
        repository_here(), at, asked.policy_ref, asked.policy_commit, record=asked.record
    )


def _signer(asked: _Asked, source: PolicySource) -> Signer | None:
    """Load the key that shall sign the verdict, so that judging is not in vain without one."""
    if not asked.record:
        return None
    assert source.authority is not None, "only a proposed policy has none, and it was refused"
    signer = load_signer(key_or_default(repository_here(), asked.key), os.environ)
    recorder(signer, source.authority)
    return signer


def _confirmation(asked: _Asked, source: PolicySource, at: Instant) -> Confirmation:
    if not source.open_waivers:
        return Confirmation(frozenset())  # the log is asked about waivers alone
    if asked.proposed is not None:
        return confirmation_at(asked.proposed, os.environ, at)
    assert source.authority is not None, "a policy that is in git comes with its roles"
    return confirmation(repository_here(), source.authority, at)


def _files(asked: _Asked, paths: tuple[str, ...]) -> RunFiles:
    labels = dict(pair(text) for text in asked.labels)
    return RunFiles(tuple(Path(path) for path in paths), asked.input_format, labels)


def _answer(asked: _Asked, judged: Judged, pen: _Pen | None) -> int:
    """Record the answer if asked, show it, and give the exit code."""
    verdict = statement_of(judged)
    recorded = None
    if pen is not None:
        # Before anything is shown: an answer that was to be recorded and is not admits nothing.
        recorded = record_verdict(repository_here(), judged, verdict, pen.signer, pen.token)
    if asked.form == "json":
        write_json(
            gate_json(
                judged.result,
                policy=policy_json(judged.source),
                evaluated_at=judged.evaluated_at,
                verdict=verdict.digest,
                unreadable=judged.unreadable,
            )
        )
    else:
        click.echo(gate_text(judged.result), nl=False)
        say(f"policy {judged.source.state}: {judged.source.commit or asked.proposed}")
    if judged.unreadable:
        say(unreadable_text(judged.unreadable))
    if recorded is not None:
        marked = ", self-judged: its signer does not hold the role gate"
        say(f"recorded {recorded.verdict}{marked if recorded.self_judged else ''}")
    code = exit_code(judged, proposed=asked.proposed is not None)
    if code == EXIT_UNDECIDED and judged.result.decision.accepted:
        say(f"the policy is {judged.source.state}, not in force, so this pass admits nothing")
        say(f"  next: {_for_the_policy_in_force(asked)}")
    return code


def _for_the_policy_in_force(asked: _Asked) -> str:
    """Give the command that asks for the policy in force, or gets it where another is at hand."""
    if asked.policy_ref or asked.policy_commit:
        return typed_without_values("--policy-ref", "--policy-commit")
    pin = pin_of(repository_here())
    if pin.remote is None:
        return "agentpolicy roles show"  # the trust root puts another ref first than the pin
    branch = pin.policy_ref.removeprefix("refs/heads/")
    return shlex.join(("git", "pull", "--ff-only", pin.remote, branch))
