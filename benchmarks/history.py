"""Verifying 10,000 commits that touch policies, beside git reading them and bare Ed25519.

Both sides run in turn, as whole commands; the figures are CPU time, children included, and the
least of several rounds. The bar is 2 x (`git log --raw` and `cat-file --batch` of the files that
changed) plus 1.4 x as many bare Ed25519 verifications as there are approvals.
"""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.policy_repo import PolicyRepo

from benchmarks.policy_history import make_history, pin_behind
from benchmarks.timing import cpu_seconds

COMMITS = 10_000
ROUNDS = 3
SINCE = 100
"""Commits behind where the pin has moved to."""
MESSAGE = b"x" * 200


def main() -> None:
    """Print the cold time and its bar, the time from where the pin is, and memory."""
    commits = int(sys.argv[1]) if len(sys.argv) > 1 else COMMITS
    with tempfile.TemporaryDirectory() as folder:
        repository, pin, approvals = make_history(Path(folder) / "repo", commits)
        made = PolicyRepo(repository)
        cold: list[float] = []
        floor: list[float] = []
        raw: list[float] = []
        for _ in range(ROUNDS):
            floor.append(cpu_seconds(lambda: _read_with_git(made)))
            raw.append(_own_cpu_seconds(lambda: _verify(approvals)))
            repository.git("config", "agentpolicy.root", str(pin))
            cold.append(cpu_seconds(lambda: made.must("verify-history")))
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        mark = pin_behind(repository, min(SINCE, commits - 1))
        warm: list[float] = []
        for _ in range(ROUNDS):
            repository.git("config", "agentpolicy.root", mark)
            warm.append(cpu_seconds(lambda: made.must("verify-history")))
        _tell(commits, approvals, (min(cold), min(floor), min(raw), min(warm)), memory)


def _tell(
    commits: int, approvals: int, least: tuple[float, float, float, float], memory: int
) -> None:
    cold, floor, raw, warm = least
    bar = 2 * floor + 1.4 * raw
    print(f"verify-history, {commits:,} commits, {approvals:,} approvals: {cold:.2f} s")
    print(f"  git log --raw and cat-file --batch: {floor:.2f} s; bare Ed25519: {raw:.2f} s")
    print(f"  bar {bar:.2f} s, ratio to it {cold / bar:.2f}")
    share = f"{100 * warm / cold:.0f} % of cold (bar 10 %)"
    print(f"  from where the pin is, {SINCE} commits behind: {warm:.2f} s, {share}")
    print(f"  most memory of one process: {memory} MB")


def _read_with_git(made: PolicyRepo) -> None:
    """Let git say what each commit changes, and read every file that was changed."""
    listed = made.repo.git("log", "--raw", "--no-abbrev", "--format=%H")
    blobs = [line.split(" ")[3] for line in listed.splitlines() if line.startswith(":")]
    subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=made.path, env=dict(made.repo.environ), input="\n".join(blobs).encode() + b"\n",
        stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip


def _verify(count: int) -> None:
    key = Ed25519PrivateKey.generate()
    public, signature = key.public_key(), key.sign(MESSAGE)
    for _ in range(count):
        public.verify(signature, MESSAGE)


def _own_cpu_seconds(action: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_SELF)
    action()
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
