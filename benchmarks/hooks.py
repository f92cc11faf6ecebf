"""What a commit costs with the hooks, beside hooks that do nothing and a framework's, in one run.

The commits of all sides are made in turn, A B C A B C …, in repositories with the same content, so
that a machine that drifts slows all. The figures are CPU time (children included) of whole commits.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import agentpolicy
from tests.policy_repo import BAND_PATH, PolicyRepo, begin

from benchmarks.timing import cpu_seconds

ROUNDS = 15
NO_OP_SH = "#!/bin/sh\nexit 0\n"
NO_OP_PYTHON = f"#!{sys.executable}\n"
SCRIPTS = Path(sys.executable).parent
SCHEMA = Path(agentpolicy.__file__).parent / "schemas" / "band.schema.json"
FRAMEWORK = f"""repos:
- repo: local
  hooks:
  - {{id: check-yaml, name: yaml, language: system, files: '^policies/.*[.]yaml$',
      entry: {SCRIPTS / "check-yaml"}}}
  - {{id: check-jsonschema, name: schema, language: system, files: '^policies/bands/',
      entry: {SCRIPTS / "check-jsonschema"} --schemafile {SCHEMA}}}
"""
"""The framework's two usual hooks, run from this environment rather than from one of their own."""


@dataclass(frozen=True)
class Other:
    """What our hook is held against: the most it may cost of the other's commit."""

    name: str
    bar: float
    repo: PolicyRepo


def main() -> None:
    """Print one line a comparison: medians and the median of the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        ours = begin(Path(folder) / "ours")
        sh = _copy(ours, Path(folder) / "sh")
        sh.repo.hook("pre-commit", NO_OP_SH)
        python = _copy(ours, Path(folder) / "python")
        python.repo.hook("pre-commit", NO_OP_PYTHON)
        framework = _copy(ours, Path(folder) / "framework")
        _install_framework(framework)
        print("pre-commit runs check-yaml and check-jsonschema as local hooks of language "
              "`system`: nothing is fetched, and no environment is made or entered")  # fmt: skip
        no_policy = (Other("no-op sh hook", 2, sh),)
        _compare("commit that touches no policy", ours, no_policy, _touch_code)
        one_file = (Other("no-op Python hook", 6, python), Other("pre-commit", 0.25, framework))
        _compare("one-file policy change", ours, one_file, _tighten)


def _copy(made: PolicyRepo, path: Path) -> PolicyRepo:
    """Copy a repository without its hooks."""
    shutil.copytree(made.path, path)
    shutil.rmtree(path / ".git" / "hooks")
    return PolicyRepo(type(made.repo)(path, made.repo.environ))


def _install_framework(made: PolicyRepo) -> None:
    (made.path / ".pre-commit-config.yaml").write_text(FRAMEWORK)
    install = [sys.executable, "-m", "pre_commit", "install"]
    subprocess.run(
        install, cwd=made.path, env=made.repo.environ, check=True, stdout=subprocess.DEVNULL
    )
    made.repo.git("add", "-A")
    made.repo.git("commit", "-q", "-m", "configure")


def _compare(
    what: str,
    ours: PolicyRepo,
    others: Sequence[Other],
    change: Callable[[PolicyRepo, int], None],
) -> None:
    rounds = []
    for number in range(ROUNDS):
        sides = []
        for side in (ours, *(other.repo for other in others)):
            change(side, number)
            sides.append(_commit_seconds(side))
        rounds.append(sides)
    taken = [statistics.median(column) * 1000 for column in zip(*rounds, strict=True)]
    for place, other in enumerate(others, 1):
        ratio = statistics.median(sides[0] / sides[place] for sides in rounds)
        print(
            f"{what}: {taken[0]:.1f} ms, {other.name}: {taken[place]:.1f} ms, "
            f"ratio {ratio:.2f} (bar {other.bar}), median of {ROUNDS} rounds"
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
