"""Reading and classing many documents, beside a schema checker on the same files in one run.

Whole commands are timed, in turn, on CPU time with children included; the medians and their ratio
are printed. The other side is check-jsonschema (`pip install '.[bench]'`) with our own schema.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.policy_repo import PolicyRepo
from tests.repositories import make_repository

from benchmarks.bands import band
from benchmarks.timing import cpu_seconds

SCHEMA = Path(__file__).resolve().parent.parent / "agentpolicy" / "schemas" / "band.schema.json"
CHECKER = Path(sys.executable).with_name("check-jsonschema")
OURS = (sys.executable, "-I", "-m", "agentpolicy")
ROUNDS = 3


def main() -> None:
    """Print one line a comparison."""
    with tempfile.TemporaryDirectory() as folder:
        _validate(Path(folder) / "validate", 1_000)
        _diff(Path(folder) / "diff", 10_000)
        _hostile(Path(folder))


def _validate(folder: Path, count: int) -> None:
    files = _write_bands(folder, count)
    ours = _median([*OURS, "validate", str(folder / "policies")], folder)
    theirs = _median([str(CHECKER), "--schemafile", str(SCHEMA), *files], folder)
    print(f"validate {count:,} files: {ours:.2f} s, check-jsonschema: {theirs:.2f} s, "
          f"{theirs / ours:.1f}x (bar 12x)")  # fmt: skip


def _diff(folder: Path, count: int) -> None:
    made = PolicyRepo(make_repository(folder))
    files = _write_bands(folder, count)
    made.repo.git("add", "-A")
    made.repo.git("commit", "-q", "-m", "before")
    for name in files[: count // 2]:
        path = Path(name)
        path.write_text(path.read_text().replace("max: 1.4", "max: 1.3").replace(": 7", ": 8"))
    made.repo.git("commit", "-q", "-a", "-m", "after")
    ours = _median([*OURS, "diff", "HEAD~1", "HEAD", "--format", "json"], folder)
    sample = files[: count // 10]
    theirs = _median([str(CHECKER), "--schemafile", str(SCHEMA), *sample], folder) * 2 * 10
    print(f"validate and class {count:,} documents at two commits: {ours:.2f} s, "
          f"check-jsonschema at its rate on as many files: {theirs:.1f} s, "
          f"{theirs / ours:.1f}x (bar 15x)")  # fmt: skip


def _hostile(folder: Path) -> None:
    path = folder / "policies" / "bands"
    path.mkdir(parents=True)
    hostile = path / "hostile.yaml"
    hostile.write_bytes(b"a: " + b"[" * 1_000_000)
    ours = _median([*OURS, "validate", str(hostile)], folder)
    nothing = _median([*OURS, "validate", str(path / "missing.yaml")], folder)
    print(f"1 MB of hostile YAML: {(ours - nothing) * 1000:.0f} ms over start-up (bar 50 ms)")


def _write_bands(folder: Path, count: int) -> list[str]:
    place = folder / "policies" / "bands"
    place.mkdir(parents=True, exist_ok=True)
    files = [place / f"agent-{number}.yaml" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(band(number))
    return [str(file) for file in files]


def _median(command: list[str], folder: Path) -> float:
    def run() -> None:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        assert done.returncode in {0, 2}, done.stderr.decode()[-400:]

    run()
    return statistics.median(cpu_seconds(run) for _ in range(ROUNDS))


if __name__ == "__main__":
    main()
