"""Is a change tighter or looser, and whom does it need? For advice; nothing here decides.

The sides are whatever the user names, the work tree too: what may land is decided elsewhere, from
git's objects and against the last admissible state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from agentpolicy.admission.commands import INIT, approve_command, sign_command
from agentpolicy.admission.counting import PROPOSING
from agentpolicy.admission.documents import wrong_operation
from agentpolicy.admission.ratifying import with_ratified
from agentpolicy.admission.requirements import FREE, is_re_baselining, requirements
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import EMPTY, Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import POLICIES
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.read_memory import ReadMemory
from agentpolicy.gitio.refs import head
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_candidate
from agentpolicy.loading.reading_digest import reading_digest
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.order.change import ChangeReport, DocumentChange, Finding, Operation
from agentpolicy.order.classify import classify
from agentpolicy.order.witness import Witness, wanted
from agentpolicy.report.diff_view import DiffView, NeededApproval
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.workflows.advice import advice
from agentpolicy.workflows.fetching import commit_named
from agentpolicy.workflows.recalled_snapshots import recalled_snapshot_at
from agentpolicy.workflows.snapshots import (
    guarded_by,
    snapshot_of_folder,
    snapshot_of_index,
    snapshot_of_worktree,
)

_PARTS = ("roles.yaml", "tools.yaml", "bands", "budgets", "baselines", "waivers")
"""What a policies folder may hold, by name."""

_Side: TypeAlias = Callable[[Iterable[str]], Snapshot]
"""Reads one side for a list of guarded files."""


@dataclass(frozen=True, slots=True)
class Extras:
    """What to find out beside the class: it costs more, and decides nothing."""

    witnesses: int = 0
    """For how many findings at most a witness is looked for."""
    runs: tuple[Path, ...] = ()
    """Files of runs to judge by both sides, to see whether a loosening is cut to fit them."""


NO_EXTRAS = Extras()


def diff_worktree(
    repository: Repository, base: str | None, at: Instant, extras: Extras = NO_EXTRAS
) -> DiffView:
    """Compare the work tree with a commit; without one with HEAD, or with nothing before it."""
    cache = ReadCache()
    memory = ReadMemory(repository, reading_digest())
    with Objects(repository) as objects:
        old = _committed(repository, objects, base, cache, memory)
        new = partial(snapshot_of_worktree, repository, cache=cache)
        view = _view(*_both(old, new), at, extras)
    memory.keep()
    return replace(view, next_commands=tuple(_signing(view)))


def diff_index(
    repository: Repository, base: str | None, at: Instant, extras: Extras = NO_EXTRAS
) -> DiffView:
    """Compare what is staged with a commit; without one with HEAD, or with nothing before it."""
    cache = ReadCache()
    memory = ReadMemory(repository, reading_digest())
    with Objects(repository) as objects:
        old = _committed(repository, objects, base, cache, memory)
        new = partial(snapshot_of_index, repository, objects, cache=cache)
        view = _view(*_both(old, new), at, extras)
    memory.keep()
    return _then(view, "agentpolicy check --staged")


def diff_commits(
    repository: Repository, base: str, target: str, at: Instant, extras: Extras = NO_EXTRAS
) -> DiffView:
    """Compare two commits, whatever lies between them."""
    cache = ReadCache()
    memory = ReadMemory(repository, reading_digest())
    with Objects(repository) as objects:
        old = _committed(repository, objects, base, cache, memory)
        new = _committed(repository, objects, target, cache, memory)
        view = _view(*_both(old, new), at, extras)
    memory.keep()
    return _then(view, f"agentpolicy check --base {base} --head {target}")


def diff_files(old: Path, new: Path, at: Instant, extras: Extras = NO_EXTRAS) -> DiffView:
    """Compare two policy files, or two policies folders; needs no repository.

    Raises:
        InputError: a file and a folder, two kinds of document, or something unreadable.
    """
    if old.is_dir() and new.is_dir():
        folders = _policies_in(old), _policies_in(new)
        cache = ReadCache()
        before, after = (snapshot_of_folder(folder, cache) for folder in folders)
        return _view(before, after, at, extras)
    return _view(*_two_documents(old, new), at, extras)


def _view(old: Snapshot, new: Snapshot, at: Instant, extras: Extras) -> DiffView:
    """Class the change and say whom it needs.

    Raises:
        InputError: a side cannot be read; all problems of both are carried.
        UndecidedError: there is nothing on either side.
    """
    problems = tuple(
        problem
        for path in sorted({*old.unreadable, *new.unreadable})
        for problem in dict.fromkeys((*old.unreadable.get(path, ()), *new.unreadable.get(path, ())))
    )
    if problems:
        raise InputError(*problems)
    report = classify(old, new, all_schemas())
    if not report.compared:
        raise UndecidedError(Problem("no-policies", "there are no policies on either side", INIT))
    needed, doubts = _needed(old, new, report, at)
    if not doubts:
        report = with_ratified(old, new, report)
        needed, _ = _needed(old, new, report, at)
    never = (problem for change in report.documents for problem in wrong_operation(change))
    return DiffView(
        report,
        needed,
        problems=(*report.problems, *doubts, *never),
        witnesses=_witnesses(old, new, report, extras.witnesses),
        advice=(*advice(new, report), *_about_runs(old, new, report, extras.runs)),
    )


def _witnesses(
    old: Snapshot, new: Snapshot, report: ChangeReport, most: int
) -> Mapping[Finding, Witness]:
    if not most or not any(wanted(finding) for finding in report.findings):
        return {}
    # The gate and its typed documents are slow to import, and most changes tighten.
    from agentpolicy.workflows.witness import witnesses  # noqa: PLC0415

    return witnesses(old, new, report, most)


def _about_runs(
    old: Snapshot, new: Snapshot, report: ChangeReport, files: tuple[Path, ...]
) -> tuple[Problem, ...]:
    if not files:
        return ()
    from agentpolicy.loading.runs import read_runs  # noqa: PLC0415 - as above
    from agentpolicy.workflows.advice_runs import looks_like_a_waiver  # noqa: PLC0415 - as above

    runs = read_runs((path.as_posix(), _bytes(path)) for path in files)
    return tuple(looks_like_a_waiver(old, new, report, runs))


def _then(view: DiffView, command: str) -> DiffView:
    """Name the command that follows, where there is something for it to do."""
    useful = view.report.documents and not view.problems
    return replace(view, next_commands=(command,) if useful else ())


def _signing(view: DiffView) -> Iterator[str]:
    """Give the command of whoever made the change, then those of the others.

    None while something keeps the change from landing whoever signs it: that has its own.
    """
    paths = [change.path for change in view.report.documents]
    if not paths or view.problems:
        return
    only = paths[0] if len(paths) == 1 else ""
    yield sign_command(only)
    for role in view.roles_needed:
        if role not in PROPOSING:
            yield approve_command(role, only)


def _needed(
    old: Snapshot, new: Snapshot, report: ChangeReport, at: Instant
) -> tuple[tuple[NeededApproval, ...], tuple[Problem, ...]]:
    """Say who must sign, from the roles of the old side; the new ones stand in before the first."""
    before, doubts = _authority(old)
    after, more = _authority(new)
    base = before or after
    if base is None:
        return tuple(_by_class_alone(report)), (*doubts, *more)
    found = (
        NeededApproval(need.document, str(need.role), tuple(sorted(need.people)), need.count)
        for need in requirements(old, report, base, after or base, at)
        if need.count
    )
    return tuple(dict.fromkeys(found)), (*doubts, *more)


def _authority(side: Snapshot) -> tuple[Authority | None, tuple[Problem, ...]]:
    """Read a side's roles; what contradicts itself stands for no roles, with its problems."""
    if side.roles is None:
        return None, ()
    try:
        return authority_of(side.roles), ()
    except InputError as error:
        return None, error.problems


def _by_class_alone(report: ChangeReport) -> Iterator[NeededApproval]:
    """Say which roles a change needs where nobody's name is known."""
    for change in report.documents:
        for role in _roles_for(change):
            yield NeededApproval(change.path, str(role))


def _roles_for(change: DocumentChange) -> tuple[ApprovalRole, ...]:
    document = change.new or change.old
    kind = document.kind if document else None
    edited = change.operation is Operation.MODIFY
    if is_re_baselining(change):
        return (ApprovalRole.PROPOSER, ApprovalRole.REVIEWER)
    if kind in (DocumentKind.BAND, DocumentKind.BUDGET, DocumentKind.BASELINE):
        owner_alone = edited and change.change_class in FREE
        owner = (ApprovalRole.AGENT_OWNER,)
        return owner if owner_alone else (*owner, ApprovalRole.PLATFORM_OWNER)
    if kind is DocumentKind.WAIVER:
        if change.operation is Operation.CLOSE:
            return (ApprovalRole.AGENT_OWNER,)
        return (ApprovalRole.PROPOSER, ApprovalRole.REVIEWER)
    return (ApprovalRole.PROPOSER, ApprovalRole.PLATFORM_OWNER)


def _both(old: _Side, new: _Side) -> tuple[Snapshot, Snapshot]:
    """Read both sides for the guarded files of either, so that none looks added or deleted."""
    sides = old(()), new(())
    guarded = tuple(sorted({path for side in sides for path in guarded_by(side)}))
    return (old(guarded), new(guarded)) if guarded else sides


def _committed(
    repository: Repository,
    objects: Objects,
    name: str | None,
    cache: ReadCache,
    memory: ReadMemory,
) -> _Side:
    """Give the side of a commit; without a name HEAD's, which may not be born yet."""
    oid = commit_named(repository, name) if name is not None else head(repository).oid
    if oid is None:
        return lambda _: EMPTY
    commit = objects.commit(oid)
    return partial(recalled_snapshot_at, objects, commit, cache=cache, memory=memory)


def _policies_in(folder: Path) -> Path:
    """Take a policies folder, or the folder it lies in.

    Raises:
        InputError: it is neither, so that not every file of some folder is complained about.
    """
    if (folder / POLICIES).is_dir():
        return folder / POLICIES
    if folder.name == POLICIES or any((folder / name).exists() for name in _PARTS):
        return folder
    message = f"{folder} is no policies folder: it holds none of {', '.join(_PARTS)}"
    raise InputError(Problem("no-policies", message, "name the folder that `policies` lies in"))


def _two_documents(old: Path, new: Path) -> tuple[Snapshot, Snapshot]:
    """Read two files as two states of one document, whatever they are called."""
    documents: list[Document] = []
    problems: list[Problem] = []
    for path in (old, new):
        try:
            documents.append(read_candidate(path.as_posix(), _bytes(path)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    before, after = documents
    if before.kind is not after.kind:
        message = f"{old} is a {before.kind} and {new} is a {after.kind}"
        raise InputError(Problem("two-kinds", message, "compare two files of one kind"))
    return _alone(replace(before, path=after.path)), _alone(after)


def _alone(document: Document) -> Snapshot:
    return Snapshot(documents={document.path: document}, digests={document.path: document.sha256})


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        hint = "name a file that is there"
        raise InputError(Problem("file-unreadable", message, hint, str(path))) from error
