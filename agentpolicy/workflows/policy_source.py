"""Which policy runs are judged under, and what that policy is worth: in force, or less.

The policy comes from the policy ref, never from the work tree, so that a change cannot be judged
by the rule it brings along.
"""

import shlex
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from agentpolicy.admission.commands import sign_command
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Document, DocumentKind, Snapshot
from agentpolicy.documents.layout import POLICIES, TOOLS_PATH, is_closed, kind_of
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.gitio.refs import resolve, shown_by_remote
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_candidate
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.workflows.fetching import commit_named
from agentpolicy.workflows.policy_chain import PolicyChain, pin_of, walk, whole_of
from agentpolicy.workflows.policy_steps import by_heart
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at, snapshot_of_folder


class PolicyState(StrEnum):
    """What a verdict under this policy is worth."""

    IN_FORCE = "in_force"
    SUPERSEDED = "superseded"
    """An older admissible state of the policy ref."""
    PROPOSED = "proposed"
    """Unsigned files somebody asks about; never recorded."""
    UNCONFIRMED = "unconfirmed"
    """Another ref, or the remote that decides could not be asked or shows another tip."""


@dataclass(frozen=True, slots=True)
class PolicySource:
    """The documents to judge by, and where they are from."""

    snapshot: Snapshot
    state: PolicyState
    authority: Authority | None = None
    """Knows the trust roots before it where the log is to be asked."""
    ref: str = ""
    commit: str = ""
    tree: str = ""
    """Id of the `policies` tree."""
    object_format: str = "sha1"
    confirmed_by: str = ""
    """`local`, or the remote that showed the same tip in this run."""
    raw_commit: bytes = field(default=b"", repr=False)

    def document(self, path: str) -> Document:
        """Find a document to judge by.

        Raises:
            InputError: the policy has none at this path.
        """
        found = self.snapshot.documents.get(path)
        if found is None:
            kind = path.split("/")[1]
            there = sorted(
                other.name
                for other in self.snapshot.documents.values()
                if f"/{kind}/" in other.path
            )
            listed = f"there are: {', '.join(there)}" if there else f"there are no {kind}"
            words = f"the policy has no such document; {listed}"
            hint = f"write it, then: {sign_command(path)}"
            if there:
                hint = _JUDGE[kind].format(there[0])
            raise InputError(Problem("no-such-document", words, hint, path))
        return found

    @property
    def open_waivers(self) -> tuple[Document, ...]:
        """The waivers that are not closed, which count only where the log confirms them."""
        return _open_waivers(self.snapshot)

    @property
    def tools(self) -> Document | None:
        """The tool catalogue, if the policy has one."""
        return self.snapshot.documents.get(TOOLS_PATH)


_JUDGE = {
    "bands": "agentpolicy gate band --agent {} --baseline FILE --candidate FILE",
    "budgets": "agentpolicy gate budget --budget {} --runs FILE",
}
"""By kind of document: the command that judges by one that is there."""


def proposed_policy(path: Path, wanted: str) -> PolicySource:
    """Read an unsigned file or policies folder; `wanted` is the document to judge by.

    A file that lies in a `policies` folder is judged with that folder's catalogue; one that lies
    elsewhere stands for the wanted document, with no catalogue: every tool is then destructive.

    Raises:
        InputError: something cannot be read; all problems are told.
    """
    if not path.exists():
        words = "there is no such file or folder"
        raise InputError(
            Problem("no-such-file", words, f"ls {shlex.quote(str(path.parent))}", str(path))
        )
    if path.is_dir():
        return PolicySource(_readable(snapshot_of_folder(path, ReadCache())), PolicyState.PROPOSED)
    document = read_candidate(path.as_posix(), path.read_bytes())
    if document.kind is not kind_of(wanted):
        raise InputError(
            Problem(
                "wrong-kind",
                f"it is a {document.kind}, where a {kind_of(wanted)} is needed",
                "name another file, or a policies folder",
                str(path),
            )
        )
    documents = {wanted: document}
    folder = path.absolute().parent.parent
    catalogue = folder / "tools.yaml"
    if folder.name == POLICIES and catalogue.is_file():
        documents[TOOLS_PATH] = read_candidate(catalogue.as_posix(), catalogue.read_bytes())
    return PolicySource(Snapshot(documents=documents), PolicyState.PROPOSED)


def recorded_policy(
    repository: Repository,
    at: Instant,
    ref: str | None,
    commit: str | None,
    *,
    record: bool = False,
) -> PolicySource:
    """Take the policy of a commit of the policy ref, by default the tip, if it is admissible.

    Judged are the commits behind where the pin has moved to; all of them where the log is to be
    asked (to `record`, or for waivers) or an older commit is wanted, since then the trust roots
    before it count too.

    Raises:
        UndecidedError: no pin, no policy, or one nobody admitted: no verdict can be had from it.
    """
    pin = pin_of(repository)
    wanted_ref = ref or pin.policy_ref
    if wanted_ref != pin.policy_ref:
        pin = replace(pin, verified=None)  # what was verified is the policy ref's history
    with Objects(repository) as objects:
        oid = commit_named(repository, commit) if commit else None
        chain = walk(objects, pin, resolve(repository, wanted_ref), at)
        if record or (oid and not _holds(chain, oid)):
            chain = whole_of(objects, chain, at)
        tip = chain.tip
        if tip is None:
            raise UndecidedError(
                Problem("no-policy", f"{wanted_ref} has no commit yet", sign_command())
            )
        chosen = _chosen(chain, oid, commit or "") if oid else tip
        _require_admissible(chain, chosen.oid)
        snapshot = _snapshot(objects, chain, chosen.oid)
        if _open_waivers(snapshot):
            chain = whole_of(objects, chain, at)
            _require_admissible(chain, chosen.oid)
        entry = objects.entry_at(chosen.tree, POLICIES)
    if snapshot.roles is None or entry is None:
        raise UndecidedError(
            Problem("no-policy", f"there are no policies at {chosen.oid}", sign_command())
        )
    state, confirmed_by = _state(repository, chain, wanted_ref, chosen.oid)
    authority = chain.authority or authority_of(snapshot.roles)
    return PolicySource(
        snapshot,
        state,
        authority,
        wanted_ref,
        chosen.oid,
        entry.oid,
        repository.object_format,
        confirmed_by,
        chosen.raw,
    )


def _open_waivers(snapshot: Snapshot) -> tuple[Document, ...]:
    return tuple(
        document
        for path, document in sorted(snapshot.documents.items())
        if document.kind is DocumentKind.WAIVER and not is_closed(path)
    )


def _holds(chain: PolicyChain, oid: str) -> bool:
    return any(commit.oid == oid for commit in chain.commits)


def _chosen(chain: PolicyChain, oid: str, name: str) -> Commit:
    for commit in chain.commits:
        if commit.oid == oid:
            return commit
    raise UndecidedError(
        Problem(
            "not-on-policy-ref",
            f"{name} is not a commit of the policy ref's first-parent history since the pin",
            f"git log --first-parent {chain.pin.policy_ref}",
        )
    )


def _require_admissible(chain: PolicyChain, commit: str) -> None:
    refused = chain.admission_of(commit)
    if refused is not None:
        head = Problem(
            "policy-inadmissible",
            f"the policy of commit {commit} was never admitted, so no verdict can be had from it",
            _restore(chain.state_commit),
        )
        raise UndecidedError(head, *refused.problems)


def _restore(admitted: str | None) -> str:
    """Give the command that goes back to the last admitted state, or begins the first one."""
    if admitted is None:
        return sign_command()
    return f"git restore --source={admitted} --staged --worktree {POLICIES} && git commit"


def _snapshot(objects: Objects, chain: PolicyChain, commit: str) -> Snapshot:
    if chain.tip is not None and commit == chain.tip.oid:
        return by_heart(chain.state)
    return snapshot_at(objects, objects.commit(commit), guarded_by(chain.state), ReadCache())


def _state(
    repository: Repository, chain: PolicyChain, ref: str, commit: str
) -> tuple[PolicyState, str]:
    """Say what the policy is worth: in force only at the tip of the ref that decides."""
    roles = chain.authority
    if ref != chain.pin.policy_ref or (roles and roles.policy_ref != ref):
        return PolicyState.UNCONFIRMED, ""
    remote = chain.pin.remote
    tip = chain.tip
    if remote is not None and (tip is None or shown_by_remote(repository, remote, ref) != tip.oid):
        return PolicyState.UNCONFIRMED, ""
    if tip is None or commit != tip.oid:
        return PolicyState.SUPERSEDED, remote or "local"
    return PolicyState.IN_FORCE, remote or "local"


def _readable(snapshot: Snapshot) -> Snapshot:
    problems = tuple(
        problem for path in sorted(snapshot.unreadable) for problem in snapshot.unreadable[path]
    )
    if problems:
        raise InputError(*problems)
    return snapshot
