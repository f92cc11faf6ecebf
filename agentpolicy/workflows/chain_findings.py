"""What a walk along the policy ref finds out, collected commit by commit."""

from agentpolicy.admission.decide import Admission
from agentpolicy.documents.document import Document, Snapshot
from agentpolicy.gitio.raw import Commit
from agentpolicy.trust.authority import Authority, authority_of
from agentpolicy.workflows.policy_steps import Steps


class Findings:
    """Which commits are refused, what put them right, and who could say so at which commit."""

    def __init__(self, known: Authority | None = None) -> None:
        """Begin, with the trust roots that are known from what was walked before."""
        self.refused: dict[str, Admission] = {}
        self.closed_by: dict[str, str] = {}
        self.restored: set[str] = set()
        self.policies: set[str | None] = {None}
        self.state_commit: str | None = None
        self._open = 0
        """How many refused commits were put right so far."""
        self._roots = [*known.earlier, known] if known else []
        self._in_force_at = dict(known.in_force_at) if known else {}
        self._last: Document | None = None

    def take(self, commit: Commit, steps: Steps, policies: str | None) -> None:
        """Take note of a commit that was just judged, and of its `policies` tree."""
        if steps.refusal is None:
            self._admitted(commit, steps.state, policies, restored=steps.restored)
        else:
            self.refused[commit.oid] = steps.refusal

    def _admitted(
        self, commit: Commit, state: Snapshot, policies: str | None, *, restored: bool
    ) -> None:
        self.policies.add(policies)
        self.state_commit = commit.oid
        if len(self.refused) > self._open:
            waiting = list(self.refused)[self._open :]
            self.closed_by |= dict.fromkeys(waiting, commit.oid)
            self.restored |= {commit.oid} if restored else set()
            self._open = len(self.refused)
        if state.roles is None:
            return
        if state.roles is not self._last:
            self._last = state.roles
            root = authority_of(state.roles)
            if not self._roots or self._roots[-1].version != root.version:
                self._roots.append(root)
        self._in_force_at[commit.oid] = self._roots[-1].version

    def authority(self) -> Authority | None:
        """Give the newest trust root, which knows the earlier ones."""
        if not self._roots:
            return None
        *earlier, last = self._roots
        return last.following(tuple(earlier), self._in_force_at)
