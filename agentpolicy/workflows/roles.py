"""The trust root: what is in force, and what a new one would change and still lacks."""

from dataclasses import dataclass, replace
from difflib import unified_diff

from agentpolicy.admission.decide import Admission, StepContext, decide
from agentpolicy.admission.guarded import under_one_guard
from agentpolicy.admission.rotation import taken_back
from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Document, Snapshot
from agentpolicy.documents.layout import ROLES_PATH
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.document import read_document
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.loading.yaml_edit import rewritten
from agentpolicy.order.change import Operation
from agentpolicy.report.roles_view import RolesView
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.pin import Pin
from agentpolicy.trust.roles_edit import RolesEdit, edited
from agentpolicy.workflows.policy_chain import PolicyChain, chain_at_policy_ref
from agentpolicy.workflows.snapshots import guarded_by, snapshot_of_index, snapshot_of_worktree


@dataclass(frozen=True, slots=True)
class ProposedRoles:
    """A new trust root, beside the present one."""

    version: int
    difference: str
    """Line by line, as `diff -u` writes it."""
    written: bool
    pin: Pin | None
    """What must replace the pin everywhere, for a reset; None where the quorum is asked."""
    admission: Admission
    """What it lacks before it can land, and what has to be ratified with it."""


def roles_in_force(repository: Repository, at: Instant) -> RolesView:
    """Give the trust root of the last admissible state of the policy ref.

    Raises:
        UndecidedError: there is no pin, or no trust root has landed yet.
    """
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at)
    roles = _landed(chain)
    if chain.authority is None:
        words = "the trust root that the pin names has not landed yet"
        raise UndecidedError(Problem("no-roles", words, "agentpolicy roles check"))
    return RolesView(roles, chain.authority, str(chain.pin), chain.state_commit or "")


def propose_roles(
    repository: Repository, edit: RolesEdit, at: Instant, *, write: bool, reset: bool = False
) -> ProposedRoles:
    """Edit the roles.yaml of the work tree, and say what it then lacks before it can land.

    A reset asks the new trust root's own people alone, and holds only under the pin it gives.

    Raises:
        InputError: what is asked for contradicts itself, or what is there; nothing is written.
        UndecidedError: its layout cannot be edited without changing something else.
    """
    cache = ReadCache()
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at, cache)
    landed = _landed(chain)
    seen = snapshot_of_worktree(repository, guarded_by(chain.state), cache)
    if seen.roles is None:
        problems = seen.unreadable.get(ROLES_PATH, ())
        restore = f"git checkout HEAD -- {ROLES_PATH}"
        missing = Problem("roles-missing", "there is no trust root", restore, ROLES_PATH)
        raise InputError(*(problems or (missing,)))
    if reset:
        edit = replace(edit, replaces=landed.sha256)
    new = _edited(seen.roles, edit, landed.version + 1)
    authority_of(new)
    if problems := tuple(taken_back(landed, new)):
        raise InputError(*problems)
    if write:
        assert repository.top is not None
        (repository.top / ROLES_PATH).write_bytes(new.data)
    documents = {**seen.documents, ROLES_PATH: new}
    digests = {**seen.digests, ROLES_PATH: new.sha256}
    head = replace(seen, documents=documents, digests=digests)
    pin = None
    if reset:
        pin = replace(
            chain.pin,
            roles_sha256=new.sha256,
            roles_version=new.version,
            commit=chain.state_commit,
        )
        chain = replace(chain, pin=pin)
    difference = _difference(landed, new)
    return ProposedRoles(new.version, difference, write, pin, _decided(chain, head, at))


def check_roles(repository: Repository, at: Instant, *, staged: bool) -> Admission:
    """Say whether the trust root in the work tree, or in the index, may land as it stands."""
    cache = ReadCache()
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at, cache)
        guarded = guarded_by(chain.state)
        if staged:
            seen = snapshot_of_index(repository, objects, guarded, cache)
        else:
            seen = snapshot_of_worktree(repository, guarded, cache)
    return _decided(chain, seen, at)


def _decided(chain: PolicyChain, head: Snapshot, at: Instant) -> Admission:
    """Decide about the trust root alone: other documents that change are taken as they landed."""
    base, head = under_one_guard(chain.state, head)
    root = (ROLES_PATH,)
    kept = replace(
        head,
        documents={**base.documents, **{p: d for p, d in head.documents.items() if p in root}},
        digests={**base.digests, **{p: d for p, d in head.digests.items() if p in root}},
        unreadable={p: found for p, found in head.unreadable.items() if p in root},
    )
    decided = decide(base, kept, StepContext(chain.pin, all_schemas(), at, entering=True))
    problems = tuple(one for one in decided.problems if one.code != "approval-unused")
    return replace(decided, admitted=not problems, problems=problems)


def _landed(chain: PolicyChain) -> Document:
    if chain.state.roles is None:
        raise UndecidedError(
            Problem("no-roles", "no trust root has landed yet", "agentpolicy check --staged")
        )
    return chain.state.roles


def _edited(roles: Document, edit: RolesEdit, version: int) -> Document:
    """Write the edit into the file and read it back: it must say that and nothing else."""
    target = edited(roles.tree, edit, version)
    try:
        new = read_document(ROLES_PATH, rewritten(roles.data, target))
    except ValueError as error:
        raise _layout() from error
    if dict(new.tree) != dict(target):
        raise _layout()
    return new


def _layout() -> UndecidedError:
    words = "this layout cannot be edited without changing something else"
    hint = f"edit {ROLES_PATH} yourself, then: agentpolicy roles check"
    return UndecidedError(Problem("roles-layout", words, hint, ROLES_PATH))


def _difference(old: Document, new: Document) -> str:
    before, after = (one.data.decode("utf-8").splitlines(keepends=True) for one in (old, new))
    return "".join(unified_diff(before, after, f"a/{ROLES_PATH}", f"b/{ROLES_PATH}", n=1))


def ratified_in(admission: Admission) -> tuple[str, ...]:
    """List what has to be ratified because it stands on a compromised key."""
    changes = admission.report.documents
    return tuple(change.path for change in changes if change.operation is Operation.RATIFY)
