"""Which candidate attempts are judged against which references: by fixture, dropping nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.runs.evidence import Evidence, evidence_of
from agentpolicy.runs.run_set import RunSet


@dataclass(frozen=True, slots=True)
class Fixture:
    """One fixture of the baseline. All its baseline attempts are references, in any order."""

    id: str
    references: tuple[Evidence, ...]
    attempts: tuple[Evidence, ...]
    """Every candidate attempt; empty where the candidate left the fixture out."""


def pair_up(agent: str, baseline: RunSet, candidate: RunSet) -> tuple[Fixture, ...]:
    """Pair the sets by fixture, in the order of the fixture ids.

    The baseline says which fixtures there are; the candidate can neither add one nor hide one.

    Raises:
        InputError: another agent's runs, a candidate that is its own baseline, or a fixture
            that the baseline does not name.
    """
    _check_agent(agent, baseline, "baseline")
    _check_agent(agent, candidate, "candidate")
    _check_apart(baseline, candidate)
    references, attempts = _by_fixture(baseline), _by_fixture(candidate)
    unknown = sorted(attempts.keys() - references.keys())
    if unknown:
        raise InputError(
            Problem(
                "fixture-unknown",
                f"the baseline does not name fixture {unknown[0]!r}"
                + (f" and {len(unknown) - 1} more" if unknown[1:] else ""),
                "judge only the fixtures of the baseline, or record a baseline that has them",
            )
        )
    return tuple(
        Fixture(name, references[name], attempts.get(name, ())) for name in sorted(references)
    )


def _by_fixture(runs: RunSet) -> Mapping[str, tuple[Evidence, ...]]:
    """Group a set by fixture, attempts in order."""
    grouped: dict[str, list[Evidence]] = {}
    for record in runs.records:
        grouped.setdefault(record.fixture_id, []).append(evidence_of(record))
    return {
        name: tuple(sorted(runs, key=lambda run: run.attempt)) for name, runs in grouped.items()
    }


def _check_agent(agent: str, runs: RunSet, side: str) -> None:
    """Refuse runs that say they are another agent's."""
    for record in runs.records:
        if record.agent is not None and record.agent != agent:
            raise InputError(
                Problem(
                    "agent-differs",
                    f"{side} run {record.run_id!r} is of agent {record.agent!r}, not {agent!r}",
                    f"name the band of its own agent: --agent {record.agent}",
                )
            )


def _check_apart(baseline: RunSet, candidate: RunSet) -> None:
    """Refuse a candidate that shares evidence with its own baseline."""
    shared_files = set(baseline.files.values()) & set(candidate.files.values())
    shared_runs = sorted(
        {record.run_id for record in baseline.records}
        & {record.run_id for record in candidate.records}
    )
    if shared_files or shared_runs:
        what = f"run {shared_runs[0]!r}" if shared_runs else f"file {min(shared_files)}"
        raise InputError(
            Problem(
                "candidate-is-baseline",
                f"the candidate shares {what} with its baseline",
                "record fresh runs of the candidate; nothing is judged against itself",
            )
        )
