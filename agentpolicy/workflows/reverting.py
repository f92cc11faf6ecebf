"""What taking back the step of one commit comes to: files to write, and whom that needs."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from agentpolicy.admission.approvals import highest_version
from agentpolicy.admission.documents import CLOSED
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import VERSION_KEYS, Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import kind_of
from agentpolicy.documents.stored_approvals import differing
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import object_id
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.loading.snapshot import PolicyFile, ReadCache
from agentpolicy.order.change import DocumentChange
from agentpolicy.workflows.conflicts import in_conflict, operation_under_way
from agentpolicy.workflows.fetching import commit_named
from agentpolicy.workflows.kept import keep_in_worktree
from agentpolicy.workflows.landing import as_landed
from agentpolicy.workflows.policy_chain import PolicyChain, landing_tip, pin_of, walk
from agentpolicy.workflows.policy_steps import by_heart
from agentpolicy.workflows.proposal import Proposal, proposed
from agentpolicy.workflows.signing import hopeless
from agentpolicy.workflows.snapshots import guarded_by, reader_of, snapshot_at, snapshot_of_worktree
from agentpolicy.workflows.three_way import three_way, unnumbered
from agentpolicy.workflows.versions import with_version

_Read = Callable[[str], PolicyFile | None]


@dataclass(frozen=True, slots=True)
class Reversal:
    """What taking a commit back would write, as a proposal against what is in force."""

    commit: str
    files: Mapping[str, bytes | None] = field(repr=False)
    """The documents and guarded files that the commit changed; None: it is gone again."""
    approvals: Mapping[str, bytes] = field(repr=False)
    """Landed approvals that are missing here, and stay whatever is taken back."""
    proposal: Proposal
    problems: tuple[Problem, ...] = ()
    """What would keep it from landing whoever signs it."""


def reversal(repository: Repository, name: str, at: Instant) -> Reversal:
    """Work out the old content of what a commit changed, at the next version. Writes nothing.

    What later commits changed elsewhere in the same documents stays.

    Raises:
        InputError: the commit changed no policy, or what it changed cannot be taken back as a
            text; it was changed again since, say.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    pin = pin_of(repository)
    commit = commit_named(repository, name)
    tip, on_policy_ref = landing_tip(repository, pin.policy_ref)
    cache = ReadCache()
    with Objects(repository) as objects:
        chain = walk(objects, pin, tip, at, cache=cache, whole=True)
        chain = replace(chain, state=by_heart(chain.state))
        old, new, changed = _step(objects, chain, commit, cache)
        if not changed:
            words = f"{name} changed no policy document"
            raise InputError(Problem("nothing-to-revert", words, "git log --oneline -- policies"))
        _must_be_settled(repository, changed)
        seen = snapshot_of_worktree(repository, guarded_by(chain.state), cache)
        if not on_policy_ref:
            seen = as_landed(repository, objects, chain, seen, cache)
        taking = _Taking(repository, commit, chain.state, seen)
        files = {path: taking.back(path, _data(old(path)), _data(new(path))) for path in changed}
    _, lost = differing(chain.state.approvals, seen.approvals)
    approvals = {path: chain.state.approvals[path] for path in lost}
    head = _with(seen, files, approvals)

    def blob_of(change: DocumentChange) -> str | None:
        data = change.new.data if change.new else files.get(change.path)
        return None if data is None else object_id("blob", data, repository.object_format)

    proposal = proposed(chain, head, at, blob_of)
    wanted = frozenset(change.path for change in proposal.report.documents)
    return Reversal(commit, files, approvals, proposal, hopeless(proposal, wanted))


def write(repository: Repository, taken: Reversal) -> None:
    """Write and stage what taking a commit back comes to.

    Raises:
        UndecidedError: git cannot write the index.
    """
    keep_in_worktree(repository, {**taken.files, **taken.approvals})


def _must_be_settled(repository: Repository, paths: Collection[str]) -> None:
    """Refuse while git waits for somebody to settle a conflict in one of the files."""
    unsettled = sorted(path for path in in_conflict(repository) if path in paths)
    if unsettled:
        under_way = operation_under_way(repository)
        words = "git could not merge it, and nobody has settled it yet"
        hint = f"git {under_way} --abort" if under_way else f"git checkout HEAD -- {unsettled[0]}"
        raise InputError(Problem("in-conflict", words, hint, unsettled[0]))


def _step(
    objects: Objects, chain: PolicyChain, commit: str, cache: ReadCache
) -> tuple[_Read, _Read, tuple[str, ...]]:
    """Give readers of both sides of the step, and the paths that it changed.

    On the policy ref a step is held against the last admissible commit before it, elsewhere
    against its parent.
    """
    guarded = guarded_by(chain.state)
    target = objects.commit(commit)
    line = [one.oid for one in chain.commits]
    before = target.parents[0] if target.parents else None
    if commit in line:
        earlier = [oid for oid in line[: line.index(commit)] if oid not in chain.refused]
        before = earlier[-1] if earlier else None
    new = snapshot_at(objects, target, guarded, cache)
    start = objects.commit(before) if before else None
    old = snapshot_at(objects, start, guarded, cache) if start else Snapshot()
    there, then = ({**side.digests, **side.guarded} for side in (old, new))
    changed = tuple(path for path in sorted({*there, *then}) if there.get(path) != then.get(path))
    return reader_of(objects, start) if start else _nothing, reader_of(objects, target), changed


def _nothing(_: str) -> None:
    return None


def _data(file: PolicyFile | None) -> bytes | None:
    return None if file is None else file.data


@dataclass(frozen=True, slots=True)
class _Taking:
    """Takes one file after another back."""

    repository: Repository
    commit: str
    state: Snapshot
    """What is in force."""
    seen: Snapshot
    """What lies here, as it would land."""

    def back(self, path: str, old: bytes | None, new: bytes | None) -> bytes | None:
        """Give what is to lie at a path: as it was before, with what came later kept."""
        kind = kind_of(path)
        if kind is DocumentKind.WAIVER:
            words = "a waiver is not taken back; it ends when it is closed"
            raise InputError(Problem("waiver-reverted", words, _closing(path, new), path))
        here = self._here(path)
        numbered = kind is not None and kind in VERSION_KEYS
        if numbered:
            old, new, here = (
                side if side is None else unnumbered(path, side) for side in (old, new, here)
            )
        if here in (new, old):
            found = old
        elif numbered and old is not None and here is not None:
            found = three_way(self.repository, path, new, here, old)
            if found is None:
                raise InputError(self._changed_since(path))
        else:
            raise InputError(self._changed_since(path))
        self._must_be_saved(path, here, old)
        return self._counted_on(path, found) if numbered else found

    def _here(self, path: str) -> bytes | None:
        """Read what lies in the work tree, or comes from the policy ref by merging."""
        document = self.seen.documents.get(path)
        if document is not None:
            return document.data
        if path in self.seen.unreadable:
            raise InputError(*self.seen.unreadable[path])
        assert self.repository.top is not None
        file = self.repository.top / path
        return file.read_bytes() if path in self.seen.guarded else None

    def _counted_on(self, path: str, found: bytes | None) -> bytes | None:
        if found is None:
            return None
        found, standing = unnumbered(path, found), self.state.documents.get(path)
        if standing is not None and unnumbered(path, standing.data) == found:
            return standing.data
        version = standing.version if standing else highest_version(self.state, path)
        return with_version(read_document(path, found), version + 1)

    def _must_be_saved(self, path: str, here: bytes | None, old: bytes | None) -> None:
        """Never write over work that is in no commit."""
        if here == old:
            return
        state = self.repository.run("status", "--porcelain=v1", "-z", "-uall", "--", path)
        if state:
            words = "it holds changes that are not committed, and they would be lost"
            raise InputError(Problem("not-saved", words, f"git stash push -- {path}", path))

    def _changed_since(self, path: str) -> Problem:
        words = f"the lines that {self.commit[:12]} changed were changed again since"
        later = f"git log --oneline {self.commit[:12]}.. -- {path}"
        hint = f"{later}, and take the later ones back first, or edit {path} and sign it"
        return Problem("changed-since", words, hint, path)


def _closing(path: str, new: bytes | None) -> str:
    """Give the commands that end a waiver, or that grant another where one was ended."""
    if new is None or path.startswith(CLOSED):
        return "agentpolicy waiver new --help"
    year = str(read_document(path, new).tree["expires_on"])[:4]
    return f"mkdir -p {CLOSED}{year} && git mv {path} {CLOSED}{year}/"


def _with(
    seen: Snapshot, files: Mapping[str, bytes | None], approvals: Mapping[str, bytes]
) -> Snapshot:
    """Give a snapshot with some files replaced."""
    documents: dict[str, Document] = dict(seen.documents)
    digests, guarded = dict(seen.digests), dict(seen.guarded)
    for path, data in files.items():
        governed = kind_of(path) is not None
        held = digests if governed else guarded
        held.pop(path, None)
        documents.pop(path, None)
        if data is not None:
            held[path] = digest(data)
        if data is not None and governed:
            documents[path] = read_document(path, data)
    held_too = {**seen.approvals, **approvals}
    return replace(seen, documents=documents, digests=digests, guarded=guarded, approvals=held_too)
