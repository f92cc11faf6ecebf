"""The log branch read commit by commit, every object checked, and verified on the way.

Nothing is taken from git's word about history: parents are read from the commits themselves. What
cannot be read makes the answer unknown, never shorter.
"""

from collections.abc import Iterator, Sequence

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import TREE, Commit, Entry, parse_tree
from agentpolicy.gitio.refs import LOG_REF, resolve
from agentpolicy.gitio.repository import Repository
from agentpolicy.provenance.chain import LogVerifier
from agentpolicy.provenance.log import LogCommit, VerifiedLog
from agentpolicy.provenance.records import MOST_BYTES
from agentpolicy.provenance.segment import ENVELOPE_FILE, POLICY_FOLDER
from agentpolicy.trust.authority import Authority

RECORDED_REF = "refs/agentpolicy/log-recorded"
"""Remembers the last log commit made in this repository, so that losing it does not go unseen."""

_FILE = "100644"
_CHUNK = 128
_MOST_ASIDE = 10_000
"""Commits looked at beside the chain; the log is never merged, so any at all are odd."""


class LogReader:
    """Reads one repository's log; reading again takes only what was added since."""

    def __init__(self, repository: Repository, objects: Objects, authority: Authority) -> None:
        """Prepare to read with the trust root that says which log commits count."""
        self._repository = repository
        self._objects = objects
        self._verifier = LogVerifier(authority)
        self._seen: set[str] = set()
        self.tip: str | None = None
        """The commit the log was last read up to; None: there is no log."""
        self.recorded: str | None = None
        """The last log commit made in this repository, if there was one."""

    def read(self) -> VerifiedLog:
        """Verify the log as it stands now.

        Raises:
            UndecidedError: git cannot read its refs.
        """
        # asked before the log: whoever appends moves it after the log, so it is never ahead
        self.recorded = resolve(self._repository, RECORDED_REF)
        return self.read_to(resolve(self._repository, LOG_REF))

    def read_to(self, tip: str | None) -> VerifiedLog:
        """Verify the log as it stands with another tip, such as one that is being pushed."""
        before, self.tip = self.tip, tip
        commits, unread = self._chain(before)
        for commit in (*unread, *self._contents(commits)):
            self._verifier.take(commit)
        self._seen |= {commit.oid for commit in commits}
        self._look_aside(commits)
        for oid in (before, self.recorded):
            if oid is not None and oid not in self._seen:
                self._verifier.miss(oid)
        return self._verifier.result()

    def _chain(self, before: str | None) -> tuple[tuple[Commit, ...], tuple[LogCommit, ...]]:
        """Give the commits since `before`, oldest first, and the one that ended the walk."""
        if self.tip is None or self.tip == before:
            return (), ()
        try:
            newest_first = self._objects.first_parents(self.tip, before)
        except UndecidedError:
            return self._as_far_as_possible(self.tip, before)
        if newest_first is None:  # rewritten meanwhile: what was read before is not there any more
            self._seen.clear()
            newest_first = self._objects.first_parents(self.tip)
        return tuple(reversed(newest_first or ())), ()

    def _as_far_as_possible(
        self, tip: str, before: str | None
    ) -> tuple[tuple[Commit, ...], tuple[LogCommit, ...]]:
        commits: list[Commit] = []
        oid: str | None = tip
        while oid is not None and oid != before:
            try:
                commit = self._objects.commit(oid)
            except UndecidedError as error:
                cut = LogCommit(oid, None, problem=error.problems[0])
                return tuple(reversed(commits)), (cut,)
            commits.append(commit)
            oid = commit.parents[0] if commit.parents else None
        return tuple(reversed(commits)), ()

    def _look_aside(self, commits: Sequence[Commit]) -> None:
        try:
            aside = self._aside(commits)
        except UndecidedError as error:
            unread = LogCommit(commits[-1].oid, None, problem=error.problems[0])
            self._verifier.take_aside(unread)
            return
        for commit in self._contents(aside):
            self._verifier.take_aside(commit)

    def _aside(self, commits: Sequence[Commit]) -> tuple[Commit, ...]:
        """Find the commits that merges put beside the chain.

        Raises:
            UndecidedError: they cannot be read, or there are more than can be looked at.
        """
        found: dict[str, Commit] = {}
        open_ends = [parent for commit in commits for parent in commit.parents[1:]]
        while open_ends:
            oid = open_ends.pop()
            if oid in self._seen or oid in found:
                continue
            found[oid] = self._objects.commit(oid)
            open_ends += found[oid].parents
            if len(found) > _MOST_ASIDE:
                words = f"more than {_MOST_ASIDE:,} commits were merged into the log"
                hint = f"git log --merges {LOG_REF}"
                raise UndecidedError(Problem("log-merged", words, hint))
        return tuple(found.values())

    def _contents(self, commits: Sequence[Commit]) -> Iterator[LogCommit]:
        for start in range(0, len(commits), _CHUNK):
            chunk = commits[start : start + _CHUNK]
            try:
                yield from self._held(chunk)
            except UndecidedError:
                for commit in chunk:
                    yield self._held_alone(commit)

    def _held_alone(self, commit: Commit) -> LogCommit:
        try:
            return self._held([commit])[0]
        except UndecidedError as error:
            if error.problems[0].code == "object-type":
                return LogCommit(commit.oid, {})  # no honest tree names a file that is none
            return LogCommit(commit.oid, None, problem=error.problems[0])

    def _held(self, commits: Sequence[Commit]) -> list[LogCommit]:
        """Read what some commits hold, all at once."""
        read = self._objects.read_many(commit.tree for commit in commits)
        trees = [self._entries(raw) for _, raw in read]
        oids = [entry.oid for entries in trees for entry in entries if entry.mode == _FILE]
        blobs = iter(list(self._objects.blobs(oids, MOST_BYTES)))
        return [
            LogCommit(
                commit.oid,
                {
                    # anything but a plain file is never what was signed
                    entry.name: next(blobs) if entry.mode == _FILE else b""
                    for entry in entries
                    if not _is_policy(entry)
                },
                next((entry.oid for entry in entries if _is_policy(entry)), None),
            )
            for commit, entries in zip(commits, trees, strict=True)
        ]

    def _entries(self, raw: bytes) -> tuple[Entry, ...]:
        """Read the entries of a log commit's tree; none where it is no log commit at all."""
        try:
            entries = parse_tree(raw, self._repository.object_format)
        except ValueError:
            return ()
        return entries if any(entry.name == ENVELOPE_FILE for entry in entries) else ()


def _is_policy(entry: Entry) -> bool:
    return entry.name == POLICY_FOLDER and entry.mode == TREE
