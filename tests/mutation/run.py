"""Bends one place of the package at a time and asks a few quick tests; reports what none noticed.

Run it as `python -m tests.mutation.run [WORD]...`: only modules, and mutants, whose names hold
every word are tried. A mutant runs in a fork, on a copy of the package that lies first on the path.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.rows import row_mutants

ROOT = Path(__file__).parents[2]
SECONDS = 120
"""How long the tests of one mutant may take; a mutant that hangs is noticed."""
PACKAGES = ("order", "gate", "admission")
SCHEMAS = ("band", "budget", "tools", "baseline", "waiver", "roles")


def tests_of(module: str) -> Sequence[str]:
    """Pick the tests that are asked about a module, those named after it first."""
    if module.endswith(".json"):
        return ("tests/unit/order/test_every_edit.py",)
    _, package, *_ = module.split("/")
    name = Path(module).stem
    folder = f"tests/unit/{package}"
    if name.startswith("witness"):
        return ("tests/laws/test_witness.py",)
    own = sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).glob("test_*.py")
        if name.removesuffix("s") in path.stem
    )
    return (*own, folder, *_BEYOND.get(package, ()))


_BEYOND = {"order": ("tests/laws/test_strictness.py",)}
"""What is asked last, where the tests beside the module noticed nothing."""


def wanted(words: Sequence[str]) -> Iterator[tuple[str, Mutant]]:
    """List every mutant of the package that the words leave."""
    paths = [
        path for name in PACKAGES for path in sorted((ROOT / "agentpolicy" / name).rglob("*.py"))
    ]
    paths += [ROOT / "agentpolicy" / "schemas" / f"{name}.schema.json" for name in SCHEMAS]
    for path in paths:
        module = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        bent = row_mutants(text) if path.suffix == ".json" else mutants(text)
        for mutant in bent:
            if all(word in f"{module} {mutant.kind}: {mutant.what}" for word in words):
                yield module, mutant


def noticed(copy: Path, module: str, mutant: Mutant) -> bool:
    """Put a mutant in its place, ask the tests in a fork, and put the module back."""
    place = copy / module
    honest = place.read_bytes()
    place.write_text(mutant.source, encoding="utf-8")
    child = os.fork()
    if child == 0:
        try:
            _ask(copy, tests_of(module))
        finally:
            os._exit(70)
    _, status = os.waitpid(child, 0)
    place.write_bytes(honest)
    return status != 0


def _ask(copy: Path, tests: Sequence[str]) -> None:
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    signal.alarm(SECONDS)
    options = [
        "-x",
        "-q",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "-m",
        "not long",
        *tests,
    ]
    os._exit(int(pytest.main(options)))


def _warm_up() -> None:
    """Import what never changes once, so that a fork need not."""
    for name in ("agentpolicy.workflows.witness", "agentpolicy.loading.snapshot", "hypothesis"):
        import_module(name)
    for name in list(sys.modules):
        bent = name.split(".")[0] in {"agentpolicy", "tests"}
        if bent and name != "tests" and not name.startswith("tests.mutation"):
            del sys.modules[name]


def main(words: Sequence[str]) -> int:
    """Try them all, print each that nobody noticed, and how many there were of each kind."""
    _warm_up()
    counts, survivors = Counter[str](), Counter[str]()
    asked: set[Sequence[str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        copy = _copied(Path(folder))
        for module, mutant in wanted(words):
            if tests_of(module) not in asked:
                asked.add(tests_of(module))
                as_it_is = Mutant(0, "", (copy / module).read_text(encoding="utf-8"), "")
                assert not noticed(copy, module, as_it_is), f"{tests_of(module)} fail as it is"
            counts[mutant.kind] += 1
            if not noticed(copy, module, mutant):
                reason = EQUIVALENT.get((Path(module).name, mutant.what))
                survivors[mutant.kind] += reason is None
                place = f"{module}:{mutant.line} {mutant.kind}"
                _say(f"{place}: {mutant.what} -- {reason or 'SURVIVES'}")
    for kind, count in sorted(counts.items()):
        _say(f"{kind}: {count} mutants, {survivors[kind]} survive")
    return int(survivors.total() > 0)


def _copied(copy: Path) -> Path:
    """Copy the package, which is bent, and point to all that is not."""
    quiet = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "agentpolicy", copy / "agentpolicy", ignore=quiet)
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name != "agentpolicy":
            (copy / path.name).symlink_to(path)
    return copy


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - what this tool is for


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main(sys.argv[1:]))
