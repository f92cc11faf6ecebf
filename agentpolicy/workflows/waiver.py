"""Writes a new waiver from a recorded verdict: what was measured is copied, never typed.

Nothing is written that admission would refuse whoever signed it; signing and approving the file
are steps of their own, as for every other policy document.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from agentpolicy.admission.commands import sign_command
from agentpolicy.admission.waivers import approver_of, objections
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import DAY, Instant, day_of, format_instant, parse_date
from agentpolicy.base.numbers import exact, plain
from agentpolicy.documents.document import Document, Snapshot
from agentpolicy.documents.models.waiver import WAIVABLE
from agentpolicy.gate.decision import Decision
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.order.change import ChangeClass, DocumentChange, Operation
from agentpolicy.provenance.log import VerifiedLog
from agentpolicy.provenance.query import Found, Wanted, query
from agentpolicy.provenance.reliance import gate_signed_verdicts
from agentpolicy.trust.authority import Authority
from agentpolicy.workflows.audit import log_of
from agentpolicy.workflows.policy_chain import chain_at_policy_ref
from agentpolicy.workflows.policy_steps import by_heart

FRESH_DAYS = 14
"""A verdict older than this supports no new waiver."""
_LARGER_IS_WORSE = "token_ratio.max"


@dataclass(frozen=True, slots=True)
class WaiverRequest:
    """What a person says of a waiver; all else is copied from the verdict."""

    verdict: str
    """Digest of the recorded verdict, or its first digits."""
    field: str
    fixtures: tuple[str, ...]
    reason: str
    change_link: str
    owner: str
    expires_on: str
    id: str | None = None
    """None: named after agent, field and day."""


@dataclass(frozen=True, slots=True)
class Case:
    """One crossing that the waiver covers."""

    fixture_id: str
    measured: str


@dataclass(frozen=True, slots=True)
class NewWaiver:
    """The waiver that was written, or why none was."""

    path: str
    cases: tuple[Case, ...] = ()
    band: str = ""
    """The limit that was crossed."""
    approver: str = ""
    """The role whose approval it needs."""
    days: int = 0
    """Whole days it lasts after today."""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _InForce:
    """The policy and the log a new waiver is held against."""

    state: Snapshot
    roles: Authority
    log: VerifiedLog


def new_waiver(repository: Repository, asked: WaiverRequest, at: Instant) -> NewWaiver:
    """Write the waiver a person asks for, granted today, if it could be admitted.

    Raises:
        InputError: no such verdict, or it shows no such crossing, or the file is there already.
        UndecidedError: there is no policy in force, or no log that is whole.
    """
    if asked.field not in WAIVABLE:
        words = f"{asked.field} is never waivable; these fields are: {', '.join(WAIVABLE)}"
        return NewWaiver("", problems=(Problem("not-waivable", words, _CHANGE_THE_BAND),))
    _require_date(asked.expires_on)
    in_force = _in_force(repository, at)
    found = _cited(in_force.log, asked.verdict)
    crossings = tuple(_crossings(found))
    band, cases = _limit(crossings, asked), _cases(crossings, asked)
    agent = found.statement.judged.agent or ""
    name = asked.id or f"{agent}-{asked.field.replace('.', '-')}-{day_of(at)}"
    path = f"policies/waivers/{name}.yaml"
    text = _text(name, agent, asked, found.verdict, band, cases, day_of(at).isoformat())
    document = read_document(path, text.encode("utf-8"))
    problems = (*_unfit(found, at), *_objections(in_force, document))
    if problems:
        return NewWaiver(path, cases, band, problems=problems)
    _write(repository, path, text)
    days = (parse_date(asked.expires_on) - day_of(at)).days
    return NewWaiver(path, cases, band, str(approver_of(in_force.state, document)), days)


_CHANGE_THE_BAND = "fix the candidate, or propose a change of the band and sign it"


def _require_date(text: str) -> None:
    try:
        parse_date(text)
    except ValueError as error:
        hint = "agentpolicy waiver new --help"
        raise InputError(Problem("bad-date", f"--expires-on {error}", hint)) from error


def _in_force(repository: Repository, at: Instant) -> _InForce:
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at, whole=True)
        state = by_heart(chain.state)
    if chain.authority is None:
        words = f"{chain.pin.policy_ref} holds no admitted policy"
        raise UndecidedError(Problem("no-policy", words, sign_command()))
    log = log_of(repository, chain.authority)
    if not log.complete:
        raise UndecidedError(*log.tampered, *log.unknown)
    return _InForce(state, chain.authority, log)


def _cited(log: VerifiedLog, verdict: str) -> Found:
    """Find the one recorded verdict a person named."""
    found = query(log, Wanted(verdict=verdict)).verdicts
    if len({one.verdict for one in found}) == 1:
        return found[0]
    hint = "agentpolicy audit query --decision fail"
    if found:
        words = f"{len(found)} recorded verdicts begin with {verdict!r}; give more of its digits"
    else:
        words = f"no recorded verdict is called {verdict!r}"
    raise InputError(Problem("verdict-unknown", words, hint))


@dataclass(frozen=True, slots=True)
class _Crossing:
    """One crossing as a verdict states it."""

    field: str
    fixture: str | None
    measured: str | None
    """None where values are missing, so that only the crossing is proved and not how far."""
    band: str


def _crossings(found: Found) -> Iterator[_Crossing]:
    stated = found.statement.findings.get("crossings")
    for crossing in stated if isinstance(stated, Sequence) else ():
        assert isinstance(crossing, Mapping)
        fixture = crossing.get("fixture_id")
        yield _Crossing(
            str(crossing["field"]),
            None if fixture is None else str(fixture),
            None if crossing["measured"] is None else str(crossing["measured"]),
            str(crossing["band"]),
        )


def _limit(crossings: Sequence[_Crossing], asked: WaiverRequest) -> str:
    """Give the limit that was crossed; refuse a fixture that did not cross it."""
    crossed = {one.fixture: one.band for one in crossings if one.field == asked.field}
    for fixture in asked.fixtures:
        if fixture not in crossed:
            shown = (f"{one.field} on {one.fixture or 'the whole set'}" for one in crossings)
            listed = ", ".join(dict.fromkeys(shown)) or "no crossing at all"
            words = (
                f"the verdict shows no crossing of {asked.field} on {fixture}; it shows {listed}"
            )
            raise InputError(Problem("no-crossing", words, "agentpolicy waiver new --help"))
    return crossed[asked.fixtures[0]]


def _cases(crossings: Sequence[_Crossing], asked: WaiverRequest) -> tuple[Case, ...]:
    """Copy what was measured: of several attempts the worst, of tool sequences every one."""
    cases: list[Case] = []
    for fixture in dict.fromkeys(asked.fixtures):
        measured = dict.fromkeys(
            _known(one) for one in crossings if (one.field, one.fixture) == (asked.field, fixture)
        )
        if asked.field == "tool_order":
            cases += (Case(fixture, value) for value in measured)
            continue
        values = [exact(value) for value in measured]
        worst: Decimal = (max if asked.field == _LARGER_IS_WORSE else min)(values)
        cases.append(Case(fixture, plain(worst)))
    return tuple(cases)


def _known(crossing: _Crossing) -> str:
    if crossing.measured is None:
        words = (
            f"how far {crossing.fixture} crossed {crossing.field} is not known, since values are "
            "missing; a waiver covers a measured value"
        )
        raise InputError(Problem("not-measured", words, "record the missing values, judge again"))
    return crossing.measured


def _text(
    name: str,
    agent: str,
    asked: WaiverRequest,
    verdict: str,
    band: str,
    cases: Sequence[Case],
    today: str,
) -> str:
    """Write the file; free text stands in quotes, so that it cannot be read as anything else."""
    lines = [
        f"id: {name}",
        f"agent: {agent}",
        f"field: {asked.field}",
        "cases:",
        *(
            f"  - {{fixture_id: {_quoted(one.fixture_id)}, measured: {one.measured}}}"
            for one in cases
        ),
        f"band: {band}",
        f"verdict: {verdict}",
        f"reason: {_quoted(asked.reason)}",
        f"change_link: {_quoted(asked.change_link)}",
        f"owner: {asked.owner}",
        f"granted_on: {today}",
        f"expires_on: {asked.expires_on}",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _unfit(found: Found, at: Instant) -> Iterator[Problem]:
    """Say why the verdict supports no waiver, whatever is in it."""
    if found.statement.decision is not Decision.FAIL:
        words = f"the verdict is {found.statement.decision}; only one that failed needs a waiver"
        yield Problem("verdict-passed", words, "agentpolicy audit query --decision fail")
    if at - found.statement.evaluated_at > FRESH_DAYS * DAY:
        when = format_instant(found.statement.evaluated_at)
        words = f"the verdict is of {when}, more than {FRESH_DAYS} days ago"
        yield Problem("verdict-old", words, "judge the candidate again, with --record")


def _objections(in_force: _InForce, waiver: Document) -> Iterator[Problem]:
    """Ask admission itself what it would object to."""
    change = DocumentChange(
        waiver.path, Operation.ADD, ChangeClass.LOOSER, None, waiver, None, waiver.sha256, ()
    )
    confirmed = gate_signed_verdicts(in_force.log.records)
    yield from objections(in_force.state, in_force.roles, change, confirmed)


def _write(repository: Repository, path: str, text: str) -> None:
    if repository.top is None:
        words = "a bare repository has no files to write"
        raise InputError(Problem("no-work-tree", words, "git clone URL"))
    file = Path(repository.top, path)
    if file.exists():
        words = "there is a waiver of this id already, and nothing edits a waiver"
        raise InputError(
            Problem("already-there", words, "agentpolicy waiver new, with another --id", path)
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="\n")
