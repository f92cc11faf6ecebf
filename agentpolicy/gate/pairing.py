"""Which candidate attempts are judged against which references: by fixture, dropping nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.models.baseline import Baseline
from agentpolicy.runs.commitments import text_digest
from agentpolicy.runs.evidence import SHOWS_NOTHING, Evidence, evidence_of
from agentpolicy.runs.run_set import RunSet


@dataclass(frozen=True, slots=True)
class Fixture:
    """One fixture of the baseline. All its baseline attempts are references, in any order."""

    id: str
    references: tuple[Evidence, ...]
    """Never empty: what was not recorded is a reference that shows nothing."""
    attempts: tuple[Evidence, ...]
    """Every candidate attempt; empty where the candidate left the fixture out."""
    fixture_class: str | None = None
    criticality: str | None = None
    expected: int = 1
    """How many attempts the baseline document expects of a candidate."""
    accepted: frozenset[str] = frozenset()
    """Digests of the texts that a reviewer accepted as further reference texts."""

    @property
    def texts(self) -> tuple[str | None, ...]:
        """Every reference text: of the baseline, and those of the candidate that are accepted."""
        shown = tuple(reference.answer for reference in self.references)
        tried = (attempt.answer for attempt in self.attempts)
        return (*shown, *(text for text in tried if text is not None and self.accepts(text)))

    def accepts(self, text: str) -> bool:
        """Say whether a reviewer accepted this very text."""
        return bool(self.accepted) and text_digest(text) in self.accepted


def pair_up(
    agent: str, baseline: RunSet, candidate: RunSet, document: Baseline | None = None
) -> tuple[Fixture, ...]:
    """Pair the sets by fixture, in the order of the fixture ids.

    The baseline document says which fixtures there are, without one the baseline runs do; the
    candidate can neither add one nor hide one, nor say of which class it is.

    Raises:
        InputError: another agent's runs, a candidate that is its own baseline, baseline runs that
            the document does not name, or a fixture that is not in the baseline.
    """
    _check_agent(agent, baseline, "baseline")
    _check_agent(agent, candidate, "candidate")
    _check_apart(baseline, candidate)
    references, attempts = _by_fixture(baseline), _by_fixture(candidate)
    if document is None:
        _check_named(attempts, references, "baseline")
        return tuple(
            Fixture(name, references[name], attempts.get(name, ())) for name in sorted(references)
        )
    _check_pinned(baseline, document)
    planned = {fixture.id: fixture for fixture in document.fixtures}
    _check_named(references, planned, "baseline document")
    _check_named(attempts, planned, "baseline document")
    accepted: dict[str, set[str]] = {}
    for entry in document.accepted or ():
        accepted.setdefault(entry.fixture_id, set()).add(entry.after)
    return tuple(
        Fixture(
            id=name,
            references=references.get(name, (SHOWS_NOTHING,)),
            attempts=attempts.get(name, ()),
            fixture_class=planned[name].fixture_class,
            criticality=planned[name].criticality,
            expected=planned[name].attempts or 1,
            accepted=frozenset(accepted.get(name, ())),
        )
        for name in sorted(planned)
    )


def _by_fixture(runs: RunSet) -> Mapping[str, tuple[Evidence, ...]]:
    """Group a set by fixture, attempts in order."""
    grouped: dict[str, list[Evidence]] = {}
    for record in runs.records:
        grouped.setdefault(record.fixture_id, []).append(evidence_of(record))
    return {
        name: tuple(sorted(runs, key=lambda run: run.attempt)) for name, runs in grouped.items()
    }


def _check_named(shown: Mapping[str, object], known: Mapping[str, object], where: str) -> None:
    """Refuse runs of a fixture that the baseline does not name: they would dilute the rest."""
    unknown = sorted(shown.keys() - known.keys())
    if unknown:
        raise InputError(
            Problem(
                "fixture-unknown",
                f"the {where} does not name fixture {unknown[0]!r}"
                + (f" and {len(unknown) - 1} more" if unknown[1:] else ""),
                "judge only the fixtures of the baseline, or record a baseline that has them",
            )
        )


def _check_pinned(baseline: RunSet, document: Baseline) -> None:
    """Refuse reference runs other than those the document names by digest."""
    if baseline.digest != document.runs:
        raise InputError(
            Problem(
                "baseline-differs",
                f"the baseline runs are {baseline.digest}, the baseline document in force names "
                f"{document.runs}",
                "give the files it was made from: --baseline FILE",
            )
        )


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
