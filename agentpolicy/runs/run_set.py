"""A set of runs read together, and what is known about where they came from."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.errors import Problem
from agentpolicy.runs.record import RunRecord


class Runs(Protocol):
    """What a verdict says of a set of runs, however they are held."""

    @property
    def runs(self) -> int:
        """How many runs there are."""
        ...

    @property
    def agents(self) -> frozenset[Hashable]:
        """Every agent that a run says it is of; None where one does not say."""
        ...

    @property
    def subjects(self) -> frozenset[Hashable]:
        """Every subject that a run says it is of; None where one does not say."""
        ...

    @property
    def digest(self) -> str:
        """The evidence by content."""
        ...

    @property
    def importer(self) -> str:
        """The formats the files were read as."""
        ...

    @property
    def missing(self) -> Mapping[str, int]:
        """How many runs lack a field, by its name."""
        ...

    @property
    def hand_set(self) -> frozenset[str]:
        """The labels that a person filled in."""
        ...

    @property
    def unreadable(self) -> tuple[Problem, ...]:
        """Records put aside because they could not be read."""
        ...


@dataclass(frozen=True, slots=True)
class RunSet:
    """All runs of some files, in the order of the files."""

    records: tuple[RunRecord, ...]
    files: Mapping[str, str]
    """sha256 of each file's bytes, by path as given."""
    formats: Mapping[str, str]
    """What each file was read as, such as `jsonl` or `tau-bench`, by path as given."""
    missing: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """How many records lack a field, by its name; fields that none lacks are left out."""
    hand_set: frozenset[str] = frozenset()
    """The labels that a person filled in because no log carried them."""
    unreadable: tuple[Problem, ...] = ()
    """Records put aside because they could not be read, each with its place. While there is one
    nothing passes, and each counts as a planned run that shows nothing."""

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.records)

    @property
    def agents(self) -> frozenset[Hashable]:
        """Every agent that a run says it is of; None where one does not say."""
        return frozenset(record.agent for record in self.records)

    @property
    def subjects(self) -> frozenset[Hashable]:
        """Every subject that a run says it is of; None where one does not say."""
        return frozenset(record.subject for record in self.records)

    @property
    def importer(self) -> str:
        """The formats the files were read as, each once."""
        return "+".join(dict.fromkeys(self.formats.values()))

    @property
    def digest(self) -> str:
        """Name the evidence by content."""
        return digest_of(self.files.values())


def shared_by(values: Collection[Hashable]) -> str | None:
    """Give the one text that all runs say; None where one says another, or nothing."""
    one = next(iter(values)) if len(values) == 1 else None
    return one if isinstance(one, str) else None


def own_subject(subjects: Collection[Hashable], hand_set: Collection[str]) -> str | None:
    """Give the one subject that every run itself says it is of, if there is one."""
    return None if "subject" in hand_set else shared_by(subjects)


def digest_of(files: Iterable[str]) -> str:
    """Name some files by content: by the one's own digest, or by that of the sorted list."""
    digests = sorted(files)
    return digests[0] if len(digests) == 1 else digest(canonical_bytes(digests))


REPORTED = (
    "agent", "subject", "task_type", "variant", "tool_calls", "final_answer", "cost_usd",
    "latency_ms",
)  # fmt: skip
"""The fields whose absence is reported by their own names."""


def missing_of(records: Sequence[RunRecord]) -> dict[str, int]:
    """Count, for each field a verdict may need, the records that do not carry it."""
    counts = {name: sum(getattr(record, name) is None for record in records) for name in REPORTED}
    counts["outcome.correct"] = sum(
        record.outcome is None or record.outcome.correct is None for record in records
    )
    counts["tokens"] = sum(
        record.tokens is None or record.tokens.total is None for record in records
    )
    return {name: count for name, count in sorted(counts.items()) if count}
