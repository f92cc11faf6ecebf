"""Walks the policy ref from the pin, judging every step with the one `decide`.

History is the first-parent chain. A step is held against the last admissible state, never
against its parent commit, so that nothing that was slipped in becomes the ground for the next.
Walking begins where the pin has moved to; asked for the whole, it begins where trust does.
"""

from collections.abc import Callable, Mapping

from agentpolicy.admission.decide import Admission
from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import POLICIES, is_governed
from agentpolicy.gitio.lineage import Lineage
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import Commit
from agentpolicy.gitio.refs import remote_tracking, resolve, standing
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.characters import MAX_BYTES
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.chain_findings import Findings
from agentpolicy.workflows.chain_start import (
    commits_after,
    require_verified,
    where_trust_begins,
    where_verified,
)
from agentpolicy.workflows.collector import uncollected
from agentpolicy.workflows.policy_steps import Standing, Steps

PIN_SETTING = "agentpolicy.root"


@dataclass(frozen=True, slots=True)
class PolicyChain:
    """The judged history of one ref, up to one tip."""

    pin: Pin
    commits: tuple[Commit, ...]
    """From where walking began to the tip, oldest first."""
    refused: Mapping[str, Admission]
    """The commits no verdict can be had from, with why."""
    state: Snapshot
    """The last admissible state."""
    state_commit: str | None
    """The last admissible commit; None before the first policy."""
    closed_by: Mapping[str, str]
    """For each refused commit that a later one put right: which one that is."""
    restored: frozenset[str]
    """The commits that put others right by holding exactly the state before them."""
    admissible_policies: frozenset[str | None]
    """The `policies` trees (ids) of all admissible commits."""
    authority: Authority | None
    """The roles in force at the last admissible state; it knows those before it in the walk."""
    whole: bool = True
    """Whether walking began where trust does, rather than where the pin has moved to."""

    @property
    def tip(self) -> Commit | None:
        """The newest commit; None where the ref does not exist yet."""
        return self.commits[-1] if self.commits else None

    def admission_of(self, commit: str) -> Admission | None:
        """Say why a commit is refused; None when it is admissible."""
        return self.refused.get(commit)


def pin_of(repository: Repository) -> Pin:
    """Read the pin from outside the repository's content.

    Raises:
        UndecidedError: there is none, or it cannot be read; then nothing is in force.
    """
    text = repository.config(PIN_SETTING)
    if not text:
        raise UndecidedError(
            Problem(
                "no-pin",
                "no trust root is pinned here, so nothing is in force; `agentpolicy init` pins a "
                "new one and prints the pin for other clones",
                f"git config {PIN_SETTING} PIN",
            )
        )
    try:
        return Pin.parse(text)
    except ValueError as error:
        raise UndecidedError(
            Problem("bad-pin", str(error), f"git config {PIN_SETTING} PIN")
        ) from error


def landing_tip(repository: Repository, policy_ref: str) -> tuple[str | None, bool]:
    """Give the commit that what is worked on here would land on, and whether we stand there.

    Elsewhere than on the policy ref it is the remote-tracking one, where there is any.

    Raises:
        UndecidedError: git cannot read its refs.
    """
    tip, on_policy_ref = standing(repository, policy_ref)
    tracked = None if on_policy_ref else remote_tracking(repository, policy_ref)
    if tracked is not None:
        tip = resolve(repository, tracked) or tip
    return tip, on_policy_ref


def walk(
    objects: Objects,
    pin: Pin,
    tip: str | None,
    at: Instant,
    *,
    entering: frozenset[str] = frozenset(),
    confirm: Callable[[], frozenset[str]] | None = None,
    cache: ReadCache | None = None,
    whole: bool = False,
    known: PolicyChain | None = None,
) -> PolicyChain:
    """Judge every step to `tip` from where the pin has moved to; None: the ref does not exist yet.

    `whole` begins where trust does; `known` goes on from a chain that was just walked in this
    run. Steps in `entering` are judged as they enter: lapsed approvals count for nothing, and what
    a new waiver cites must be among the verdicts that `confirm` gives.
    Cost follows what the commits change, not what they hold.

    Raises:
        UndecidedError: history is cut short, or does not pass through a commit it must.
    """
    cache = ReadCache() if cache is None else cache
    start = None if tip is None else _start(objects, pin, cache, whole=whole, known=known)
    first = start.commit if start else None
    commits = [] if tip is None else commits_after(objects, pin, first, tip)
    require_verified(pin, (*([first] if first else ()), *commits), tip)
    lineage = Lineage(objects, is_governed, MAX_BYTES)
    steps = Steps(objects, lineage, pin, at, cache, confirm)
    findings = Findings(known.authority if known else None)
    policies = _policies_id(objects, first) if first else None
    if start is not None:
        steps.stand_on(start)
        findings.take(start.commit, steps, policies)
    with uncollected():
        for change in lineage.changes(first, commits):
            if POLICIES in change.top:
                new = change.top[POLICIES][1]
                policies = new.oid if new else None
            steps.take(change, entering=change.commit.oid in entering)
            findings.take(change.commit, steps, policies)
    return PolicyChain(
        pin=pin,
        commits=(*([first] if first else ()), *commits),
        refused=findings.refused,
        closed_by=findings.closed_by,
        restored=frozenset(findings.restored),
        state=steps.state,
        state_commit=findings.state_commit,
        admissible_policies=frozenset(findings.policies),
        authority=findings.authority(),
        whole=known.whole if known else first is None or first.oid == pin.commit,
    )


def whole_of(objects: Objects, chain: PolicyChain, at: Instant) -> PolicyChain:
    """Give the same chain from where trust begins, for questions about what was long ago."""
    if chain.whole or chain.tip is None:
        return chain
    return walk(objects, chain.pin, chain.tip.oid, at, whole=True)


def _start(
    objects: Objects, pin: Pin, cache: ReadCache, *, whole: bool, known: PolicyChain | None
) -> Standing | None:
    """Find what to begin with: what was just walked, where the pin is, or where trust begins."""
    if known is not None and known.state_commit is not None:
        return Standing(objects.commit(known.state_commit), known.state)
    if pin.verified is not None and not whole:
        return where_verified(objects, pin, pin.verified, cache)
    return None if pin.commit is None else where_trust_begins(objects, pin, pin.commit, cache)


def _policies_id(objects: Objects, commit: Commit) -> str | None:
    entry = objects.entry_at(commit.tree, POLICIES)
    return entry.oid if entry else None


def chain_at_policy_ref(
    repository: Repository,
    objects: Objects,
    at: Instant,
    cache: ReadCache | None = None,
    *,
    whole: bool = False,
) -> PolicyChain:
    """Judge the policy ref that the pin names, as it stands locally."""
    pin = pin_of(repository)
    return walk(objects, pin, resolve(repository, pin.policy_ref), at, cache=cache, whole=whole)
