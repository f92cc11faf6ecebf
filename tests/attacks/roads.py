"""The roads by which every change of a rule is tried, in one go."""

from collections.abc import Sequence
from pathlib import Path

from tests.policy_repo import PolicyRepo, green_run, serve, write_runs


def refused_everywhere(
    made: PolicyRepo, tmp_path: Path, *words: str, check: Sequence[int] = (1,)
) -> None:
    """Try what lies in the work tree by every road; the refusal says the words."""
    if not made.repo.git("remote"):
        serve(made, tmp_path / "server.git")
    before = made.head
    committed = made.commit("attack")
    assert committed.code != 0
    assert made.head == before
    for word in words:
        assert word in committed.err
    made.sneak()
    refused_after_commit(made, tmp_path, before, check=check)


def refused_after_commit(
    made: PolicyRepo, tmp_path: Path, before: str, *, check: Sequence[int] = (1,)
) -> None:
    """Try the commit that is checked out by check, by both push hooks, and through the gate."""
    server = made.repo.git("ls-remote", "origin")
    assert made.check(before, made.head).code in check
    for bypass in ((), ("--no-verify",)):
        pushed = made.repo.try_git("push", "-q", *bypass, "origin", "HEAD:refs/heads/main")
        assert pushed.returncode != 0
    assert made.repo.git("ls-remote", "origin") == server
    judged = made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)]))
    assert judged.code == 3, judged
