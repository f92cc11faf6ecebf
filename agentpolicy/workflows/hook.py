"""What git's hooks ask. A hook never prompts, and touches neither index nor work tree."""

from collections.abc import Iterator, Sequence

from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, replace
from agentpolicy.documents.layout import POLICIES
from agentpolicy.gitio.hook_input import RefUpdate
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.refs import LOG_REF, behind, resolve
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.check import check_staged
from agentpolicy.workflows.policy_chain import pin_of, walk, whole_of
from agentpolicy.workflows.taken_back import naming_commits


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """Whether git may go on: any problem blocks, notes do not."""

    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()


def before_commit(repository: Repository, at: Instant) -> HookAnswer:
    """Judge the index that is being committed.

    On another branch than the policy ref only what cannot be read blocks, so that a proposal can
    be saved and pushed for review; what is missing is said as a note.
    """
    checked = check_staged(repository, at)
    admission = checked.admission
    if checked.on_policy_ref:
        return HookAnswer(admission.problems)
    blocking = tuple(found for found in admission.problems if not is_signature(found))
    notes = tuple(found for found in admission.problems if is_signature(found))
    return HookAnswer(blocking, notes)


def before_refs_move(
    repository: Repository, updates: Sequence[RefUpdate], at: Instant, *, receiving: bool
) -> HookAnswer:
    """Judge every protected ref that a push would move, in the receiving or the sending clone.

    The policies come first: what else is pushed along is held against them. Only where it is
    received can be seen that a ref is another name for a protected one.
    """
    pin = pin_of(repository)
    if receiving:
        updates = [replace(update, ref=behind(repository, update.ref)) for update in updates]
    ordered = sorted(updates, key=lambda update: update.ref != pin.policy_ref)
    with Objects(repository) as objects:
        judge = _Push(repository, objects, pin, at, receiving=receiving)
        judge.pushed_log = next((one.new for one in ordered if one.ref == LOG_REF), None)
        return HookAnswer(tuple(found for update in ordered for found in judge.problems(update)))


def is_signature(problem: Problem) -> bool:
    """Say whether a problem is only about who has signed so far."""
    return problem.code in {"approval-missing", "approval-unused", "version"}


def _with_the_log(problem: Problem, ref: str) -> Problem:
    """Say what to push along where a waiver's verdict is missing: the waiver is seldom wrong."""
    if problem.code != "waiver-verdict":
        return problem
    return replace(problem, hint=f"git push --atomic REMOTE {ref} {LOG_REF}")


def _landing_on_the_way(
    admitted: str | None, entering: frozenset[str], old: str | None, tip: str
) -> Iterator[Problem]:
    """Say so where an earlier commit of a refused push would land by itself.

    What comes after it is held against it, so a change that was meant as one must come as one.
    """
    if admitted in entering and old is not None:
        yield Problem(
            "lands-by-itself",
            f"commit {admitted} of this push would land by itself, and what follows is held "
            "against it; bring them as one step, by a squash or a merge commit",
            f"git reset --keep {old[:12]} && git merge --squash {tip[:12]} && git commit --no-edit",
        )


class _Push:
    """Holds what stands on the receiving side while each update is judged against it."""

    def __init__(
        self, repository: Repository, objects: Objects, pin: Pin, at: Instant, *, receiving: bool
    ) -> None:
        self._repository, self._objects, self._pin, self._at = repository, objects, pin, at
        self._receiving = receiving
        self.pushed_log: str | None = None
        """Where the same push moves the verdict log to: a waiver may cite what comes along."""
        self._cache = ReadCache()
        # A ref that is gone may come back, but not as it was before the pin moved forward.
        mark = pin.verified.commit if pin.verified else None
        tip = resolve(repository, pin.policy_ref) or mark
        self._chain = walk(objects, pin, tip, at, cache=self._cache)
        self._accepted = self._chain.admissible_policies
        roles = self._chain.authority
        self._protected = frozenset({pin.policy_ref, *(roles.protected if roles else ())})

    def problems(self, update: RefUpdate) -> Iterator[Problem]:
        """Find what forbids one ref to move."""
        if update.ref != LOG_REF and update.ref not in self._protected:
            return
        if update.new is None:
            words = f"{update.ref} is protected and may not be deleted"
            yield Problem("ref-deleted", words, "git push, without deleting it")
            return
        added = self._objects.first_parents(update.new, update.old)
        if added is None:
            yield Problem(
                "not-fast-forward",
                f"the present tip {update.old} of {update.ref} is not on the first-parent chain "
                f"of {update.new}",
                "git pull --rebase, or merge with `git merge --no-ff` while on the branch",
            )
        elif update.ref == self._pin.policy_ref:
            entering = frozenset(commit.oid for commit in added)
            yield from self._policy(update.old, update.new, entering)
        elif update.ref == LOG_REF:
            yield from self._log(update)
        else:
            yield from self._other(update.ref, update.new)

    def _policy(self, old: str | None, tip: str, entering: frozenset[str]) -> Iterator[Problem]:
        known = self._chain.tip is not None and self._chain.tip.oid == old
        chain = walk(
            self._objects,
            self._pin,
            tip,
            self._at,
            entering=entering,
            confirm=self._confirmed,
            cache=self._cache,
            known=self._chain if known else None,
        )
        self._accepted |= chain.admissible_policies
        refused = chain.refused.get(tip)
        if refused is not None:
            ref = self._pin.policy_ref
            named = naming_commits(self._repository, refused.problems, chain.state_commit)
            yield from (_with_the_log(problem, ref) for problem in named)
            yield from _landing_on_the_way(chain.state_commit, entering, old, tip)
        else:
            self._chain = chain

    def _log(self, update: RefUpdate) -> Iterator[Problem]:
        """Let the log grow by verified records only; seldom needed, so imported late."""
        from agentpolicy.workflows.log_push import unsound  # noqa: PLC0415

        yield from unsound(
            self._repository,
            self._objects,
            self._signers_of(update),
            update,
            self._at,
            receiving=self._receiving,
        )

    def _signers_of(self, update: RefUpdate) -> Authority | None:
        """Give the trust root that the log is read with.

        Where it grows, what is added counts only under keys that count now. A log that comes as a
        whole may hold keys of people whom only older trust roots list.
        """
        whole = update.old is None
        chain = whole_of(self._objects, self._chain, self._at) if whole else self._chain
        return chain.authority

    def _confirmed(self) -> frozenset[str]:
        """Give the verdicts that a new waiver may cite; seldom needed, so imported late."""
        from agentpolicy.workflows.confirmed import confirmed_verdicts  # noqa: PLC0415

        roles = whole_of(self._objects, self._chain, self._at).authority
        if roles is None:
            return frozenset()
        found = confirmed_verdicts(self._repository, roles, self._at, self.pushed_log)
        return found or frozenset()

    def _other(self, ref: str, tip: str) -> Iterator[Problem]:
        """Let other protected refs carry only states that the policy ref has admitted."""
        entry = self._objects.entry_at(self._objects.commit(tip).tree, POLICIES)
        policies = entry.oid if entry else None
        if policies not in self._accepted:
            self._accepted |= whole_of(self._objects, self._chain, self._at).admissible_policies
        if policies not in self._accepted:
            yield Problem(
                "policies-differ",
                f"policies/ on {ref} equals no admitted state of {self._pin.policy_ref}",
                f"land the change on {self._pin.policy_ref} first, then merge it",
            )
