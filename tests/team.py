"""Two people with a clone each, and the server between them that enforces the same pin."""

from dataclasses import dataclass
from pathlib import Path

from tests.policy_repo import PolicyRepo, begin, serve
from tests.repositories import GitRepository, clone


@dataclass(frozen=True)
class Team:
    """Alice owns the rules, pat the platform; both work through the server."""

    server: GitRepository
    alice: PolicyRepo
    pat: PolicyRepo

    def lands(self, who: PolicyRepo, what: str = "main") -> bool:
        """Push to the policy ref past the local hook, and say whether the server took it."""
        pushed = who.repo.try_git("push", "-q", "--no-verify", "origin", f"{what}:refs/heads/main")
        return pushed.returncode == 0


def gather(folder: Path) -> Team:
    """Begin a repository with hooks, a server and a second clone with hooks."""
    alice = begin(folder / "alice")
    server = serve(alice, folder / "server.git")
    alice.repo.git("fetch", "-q", "origin")
    pat = PolicyRepo(clone(server, folder / "pat"))
    pat.repo.git("config", "agentpolicy.root", alice.pin)
    pat.must("hook", "install")
    return Team(server, alice, pat)
