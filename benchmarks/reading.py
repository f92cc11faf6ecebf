"""Reading and classing many documents, beside a schema checker on the same files in one run.

Whole commands are timed, in turn, on CPU time with children included; the medians and their ratio
are printed. The other side is check-jsonschema (`pip install '.[bench]'`) with our own schema.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.policy_repo import PolicyRepo
from tests.repositories import make_repository

from benchmarks.bands import band
from benchmarks.timing import cpu_seconds, peak_mib

SCHEMA = Path(__file__).resolve().parent.parent / "agentpolicy" / "schemas" / "band.schema.json"
CHECKER = Path(sys.executable).with_name("check-jsonschema")
OURS = (sys.executable, "-I", "-m", "agentpolicy")
DIFF = (*OURS, "diff", "HEAD~1", "HEAD", "--format", "json")
ROUNDS = 3


def main() -> None:
    """Print one line a comparison."""
    with tempfile.TemporaryDirectory() as folder:
        _validate(Path(folder) / "validate", 1_000)
        _diff(Path(folder) / "diff", 10_000)
        _diff_again(Path(folder) / "large", Path(folder) / "small", 10_000, 10)
        _hostile(Path(folder))


def _validate(folder: Path, count: int) -> None:
    files = _write_bands(folder, count)
    ours = _median([*OURS, "validate", str(folder / "policies")], folder)
    theirs = _median([str(CHECKER), "--schemafile", str(SCHEMA), *files], folder)
    print(f"validate {count:,} files: {ours:.2f} s, check-jsonschema: {theirs:.2f} s, "
          f"{theirs / ours:.1f}x (bar 12x)")  # fmt: skip


def _diff(folder: Path, count: int) -> None:
    files = _two_commits(folder, count, count // 2)
    ours, again = _median(DIFF, folder, _forget), _median(DIFF, folder)
    sample = files[: count // 10]
    theirs = _median([str(CHECKER), "--schemafile", str(SCHEMA), *sample], folder) * 2 * 10
    print(f"validate and class {count:,} documents at two commits, half of them changed: "
          f"{ours:.2f} s, check-jsonschema at its rate on as many files: {theirs:.1f} s, "
          f"{theirs / ours:.1f}x (bar 15x); again with nothing new: {again:.2f} s, "
          f"{ours / again:.1f}x (bar 6x)")  # fmt: skip


def _diff_again(large: Path, small: Path, count: int, changed: int) -> None:
    _two_commits(large, count, changed)
    _two_commits(small, changed, changed)
    cold, again = _median(DIFF, large, _forget), _median(DIFF, large)
    new, few = _median(DIFF, large, _forget_answers), _median(DIFF, small, _forget_answers)
    print(f"{changed} of {count:,} documents changed: {cold:.2f} s, again with nothing new: "
          f"{again:.2f} s, {cold / again:.1f}x (bar 6x); all read before but not yet compared: "
          f"{new:.2f} s, {cold / new:.1f}x; {changed} of {changed} changed: {few:.2f} s, "
          f"so {new / few:.1f}x for the other {count - changed:,}")  # fmt: skip


def _hostile(folder: Path) -> None:
    path = folder / "policies" / "bands"
    path.mkdir(parents=True)
    hostile = path / "hostile.yaml"
    hostile.write_bytes(b"a: " + b"[" * 1_000_000)
    refuse = [*OURS, "validate", str(hostile)]
    start = [*OURS, "validate", str(path / "missing.yaml")]
    over = _median(refuse, folder) - _median(start, folder)
    held, least = peak_mib(refuse), peak_mib(start)
    print(f"1 MB of hostile YAML: {over * 1000:.0f} ms over start-up (bar 50 ms), "
          f"peak memory {held:.0f} MiB, of start-up alone {least:.0f} MiB")  # fmt: skip


def _two_commits(folder: Path, count: int, changed: int) -> list[str]:
    """Commit many bands, then some of them tightened; give the files."""
    made = PolicyRepo(make_repository(folder))
    files = _write_bands(folder, count)
    made.repo.git("add", "-A")
    made.repo.git("commit", "-q", "-m", "before")
    for name in files[:changed]:
        path = Path(name)
        path.write_text(path.read_text().replace("max: 1.4", "max: 1.3").replace(": 7", ": 8"))
    made.repo.git("commit", "-q", "-a", "-m", "after")
    return files


def _forget(folder: Path) -> None:
    """Drop what earlier runs remembered."""
    shutil.rmtree(folder / ".git" / "agentpolicy", ignore_errors=True)


def _forget_answers(folder: Path) -> None:
    """Drop the answers, but not which documents were read without fault."""
    shutil.rmtree(folder / ".git" / "agentpolicy" / "answers", ignore_errors=True)


def _write_bands(folder: Path, count: int) -> list[str]:
    place = folder / "policies" / "bands"
    place.mkdir(parents=True, exist_ok=True)
    files = [place / f"agent-{number}.yaml" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(band(number))
    return [str(file) for file in files]


def _median(
    command: Sequence[str], folder: Path, before: Callable[[Path], None] | None = None
) -> float:
    """Run a command a few times, each after `before`, and once untimed; give the median."""

    def run() -> None:
        if before:
            before(folder)
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert done.returncode in {0, 2}, done.stderr.decode()[-400:]

    run()
    return statistics.median(cpu_seconds(run) for _ in range(ROUNDS))


if __name__ == "__main__":
    main()
