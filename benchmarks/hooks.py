"""What a commit costs with the hooks, beside a hook that does nothing; both sides in one run.

Each pair of commits is made in turn, A B A B …, in repositories with the same content, so that a
machine that drifts slows both. The figures are CPU time (children included) of whole commits.
"""

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.policy_repo import BAND_PATH, PolicyRepo, begin

from benchmarks.timing import cpu_seconds

ROUNDS = 15
NO_OP_SH = "#!/bin/sh\nexit 0\n"
NO_OP_PYTHON = f"#!{sys.executable}\n"


def main() -> None:
    """Print one line a comparison: medians and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        ours = begin(Path(folder) / "ours")
        sh = _with_hook(ours, Path(folder) / "sh", NO_OP_SH)
        python = _with_hook(ours, Path(folder) / "python", NO_OP_PYTHON)
        _compare("commit that touches no policy", "no-op sh hook", 2, ours, sh, _touch_code)
        _compare("one-file policy change", "no-op Python hook", 6, ours, python, _tighten)


def _with_hook(made: PolicyRepo, path: Path, script: str) -> PolicyRepo:
    """Copy a repository and put another pre-commit hook in place of ours."""
    shutil.copytree(made.path, path)
    other = PolicyRepo(type(made.repo)(path, made.repo.environ))
    shutil.rmtree(path / ".git" / "hooks")
    other.repo.hook("pre-commit", script)
    return other


def _compare(
    what: str,
    against: str,
    bar: int,
    ours: PolicyRepo,
    other: PolicyRepo,
    change: Callable[[PolicyRepo, int], None],
) -> None:
    pairs = []
    for number in range(ROUNDS):
        sides = []
        for side in (ours, other):
            change(side, number)
            sides.append(_commit_seconds(side))
        pairs.append(sides)
    ratio = statistics.median(a / b for a, b in pairs)
    left, right = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
    print(
        f"{what}: {left:.1f} ms, {against}: {right:.1f} ms, "
        f"ratio {ratio:.2f} (bar {bar}), median of {ROUNDS} pairs"
    )


def _touch_code(side: PolicyRepo, number: int) -> None:
    side.repo.stage("src/code.txt", f"{number}\n")


def _tighten(side: PolicyRepo, number: int) -> None:
    """Lower one limit by a little and sign it; the signing is not timed."""
    old, new = 1400 - number, 1400 - number - 1
    side.edit(BAND_PATH, f"max: {_ratio(old)}\n", f"max: {_ratio(new)}\n")
    signed = side.sign()
    assert signed.code == 0, signed
    side.repo.git("add", "-A")


def _ratio(thousandths: int) -> str:
    return f"1.{thousandths - 1000:03}".rstrip("0")


def _commit_seconds(side: PolicyRepo) -> float:
    return cpu_seconds(lambda: side.repo.git("commit", "-q", "-m", "change"))


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    main()
