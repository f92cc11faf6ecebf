"""Says whether a branch may also land one commit at a time, as a host's rebase-merge brings it."""

from agentpolicy.admission.decide import StepContext, decide
from agentpolicy.base.values import dataclass, replace
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.workflows.landing import merged, parted_at
from agentpolicy.workflows.policy_chain import PolicyChain
from agentpolicy.workflows.policy_steps import by_heart
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at


@dataclass(frozen=True, slots=True)
class Branch:
    """The policy ref as judged, and what is to land on it."""

    chain: PolicyChain
    tip: Commit
    step: StepContext


def lands_alone(
    repository: Repository, objects: Objects, branch: Branch, cache: ReadCache
) -> str | None:
    """Name the commit that would land by itself, so that those after it are refused.

    None where all of them may land one by one. A merge result stands for the branch it brings.
    """
    base, tip = branch.chain.tip, branch.tip
    if base is None:
        return None
    if len(tip.parents) > 1 and tip.parents[0] == base.oid:
        tip = objects.commit(tip.parents[1])
    parted = parted_at(repository, tip.oid, base.oid)
    added = objects.first_parents(tip.oid, parted) if parted else None
    if parted is None or not added or not added[1:]:
        return None
    guarded = guarded_by(branch.chain.state)
    before = snapshot_at(objects, objects.commit(parted), guarded, cache)
    state, alone, refused = by_heart(branch.chain.state), None, False
    now = state
    for commit in reversed(added):
        picked = merged(before, now, snapshot_at(objects, commit, guarded, cache))
        decided = decide(state, picked, replace(branch.step, confirmed=None))
        refused = not decided.admitted
        if decided.admitted and decided.report.documents:
            state, alone = picked, commit.oid
    return alone if refused else None
