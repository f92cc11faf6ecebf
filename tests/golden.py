"""The golden pairs of `tests/examples`: an old state, a new one, and what must be said of them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentpolicy.admission.requirements import requirements
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import POLICIES, ROLES_PATH
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import PolicyFile, read_snapshot
from agentpolicy.order.classify import ChangeReport, Finding, classify
from agentpolicy.trust.authority import authority_of

EXAMPLES = Path(__file__).parent / "examples"
NOW = parse_instant("2026-03-10T12:00:00Z")
GUARDED = "guarded"
"""The folder of a side that holds files outside `policies/`."""


@dataclass(frozen=True)
class Example:
    """One pair, by its place below `tests/examples`: `refused/band-facts/kept-to-off`."""

    name: str

    @property
    def admitted(self) -> bool:
        return self.name.startswith("admitted/")

    @property
    def expected(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((EXAMPLES / self.name / "expected.json").read_text())
        return found

    @cached_property
    def sides(self) -> tuple[Snapshot, Snapshot]:
        """Read both sides; the shared trust root stands in where the pair is not about it."""
        before, after = (_files(EXAMPLES / self.name / side) for side in ("before", "after"))
        if ROLES_PATH not in before and ROLES_PATH not in after:
            shared = (EXAMPLES / "roles.yaml").read_bytes()
            before[ROLES_PATH] = after[ROLES_PATH] = shared
        return _snapshot(before), _snapshot(after)

    @cached_property
    def report(self) -> ChangeReport:
        return classify(*self.sides, all_schemas())

    @property
    def exchanged(self) -> ChangeReport:
        old, new = self.sides
        return classify(new, old, all_schemas())

    @property
    def found(self) -> dict[str, Any]:
        """Say of the pair what `expected.json` says of it."""
        return {
            "class": str(self.report.change_class),
            "approvals": self.approvals,
            "findings": [finding_json(found) for found in self.report.findings],
        }

    @property
    def approvals(self) -> list[str]:
        old, new = self.sides
        base, head = (authority_of(side.roles) if side.roles else None for side in (old, new))
        assert base is not None
        needed = requirements(old, self.report, base, head or base, NOW)
        return sorted({str(need.role) for need in needed if need.count})


def examples() -> list[Example]:
    """Find every pair, in the order of their names."""
    return [
        Example(path.parent.relative_to(EXAMPLES).as_posix())
        for path in sorted(EXAMPLES.glob("*/*/*/expected.json"))
    ]


def finding_json(found: Finding) -> dict[str, str | None]:
    """Write a finding as `expected.json` does; of a digest only that it is one."""
    return {
        "rule": found.rule,
        "effect": str(found.effect),
        "document": found.document.removeprefix(f"{POLICIES}/"),
        "pointer": found.pointer,
        "old": found.old if found.pointer else _any_digest(found.old),
        "new": found.new if found.pointer else _any_digest(found.new),
    }


def _any_digest(text: str | None) -> str | None:
    return None if text is None else text.partition(":")[0]


def _files(side: Path) -> dict[str, bytes]:
    files = (path for path in sorted(side.rglob("*")) if path.is_file())
    found = {path.relative_to(side).as_posix(): path.read_bytes() for path in files}
    return {
        name if name.startswith(f"{GUARDED}/") else f"{POLICIES}/{name}": data
        for name, data in found.items()
        if name != ".gitkeep"
    }


def _snapshot(files: Mapping[str, bytes]) -> Snapshot:
    guarded = {
        name.removeprefix(f"{GUARDED}/"): data
        for name, data in files.items()
        if name.startswith(f"{GUARDED}/")
    }
    policies = [
        PolicyFile(name, "100644", data)
        for name, data in files.items()
        if not name.startswith(f"{GUARDED}/")
    ]
    return read_snapshot(policies, guarded)
