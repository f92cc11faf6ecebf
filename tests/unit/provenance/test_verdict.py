"""A verdict statement: one spelling, one name, nothing inexact."""

import json
from dataclasses import replace
from decimal import Decimal as Exact
from importlib.resources import files
from typing import Any

import pytest
from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.base.instant import Instant
from agentpolicy.gate.decision import Decision
from agentpolicy.provenance.verdict import VerdictStatement, parse_verdict
from agentpolicy.provenance.verdict_parts import Judged, PolicyDocument, PolicyUsed, RunSetUsed
from agentpolicy.provenance.verdict_schema import verdict_schema
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft7Validator
from tests.verdict_log import verdict

EXACT_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def edited(*path: str, to: object) -> bytes:
    """Write a sound verdict with one value replaced, in canonical spelling."""
    fields: dict[str, Any] = json.loads(verdict().to_bytes())
    place = fields
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return canonical_bytes(fields)


def test_the_same_inputs_give_the_same_bytes_in_whatever_order_they_come() -> None:
    one = verdict()
    turned = replace(
        one,
        evidence=tuple(reversed(one.evidence)),
        findings=dict(reversed(list(one.findings.items()))),
    )
    assert turned.to_bytes() == one.to_bytes()
    assert one.digest == digest(one.to_bytes())


def test_a_verdict_reads_back_as_it_was_written() -> None:
    one = verdict(subject=digest(b"artefact"))
    assert parse_verdict(one.to_bytes()).digest == one.digest


@given(findings=st.dictionaries(st.text(max_size=8), EXACT_JSON, max_size=4))
def test_whatever_a_gate_found_is_read_back_to_the_same_name(findings: dict[str, object]) -> None:
    one = verdict(findings=findings)
    assert parse_verdict(one.to_bytes()).to_bytes() == one.to_bytes()


def test_the_subjects_are_the_artefact_where_its_digest_is_known_and_the_evidence() -> None:
    named = json.loads(verdict(subject=digest(b"artefact")).to_bytes())["subject"]
    assert [subject["name"] for subject in named] == ["artefact", "baseline", "candidate"]
    unnamed = json.loads(verdict(subject="build 42").to_bytes())["subject"]
    assert [subject["name"] for subject in unnamed] == ["baseline", "candidate"]


def test_the_predicate_names_commit_tree_and_documents_of_the_policy() -> None:
    policy = json.loads(verdict().to_bytes())["predicate"]["policy"]
    assert policy["commit"] == "a" * 40
    assert policy["documents"][0]["path"] == "policies/bands/refund-agent.yaml"
    assert policy["state"] == "in_force"


@pytest.mark.parametrize("inexact", [0.5, Exact("0.5"), {1, 2}])
def test_an_inexact_or_foreign_finding_is_never_written(inexact: object) -> None:
    with pytest.raises(TypeError):
        verdict(findings={"rates": inexact}).to_bytes()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        verdict().to_bytes() + b"\n",
        verdict().to_bytes().replace(b"fast_review", b"fast\\u005freview"),
        edited("predicateType", to="urn:agentpolicy:verdict:v2"),
        edited("predicate", "evaluated_at", to="2026-03-31"),
        edited("predicate", "decision", to="passed"),
        b'{"predicate":1.5}',
        edited("predicate", "extra", to=1),
        edited("predicate", "details", to={"route": "no_op"}),
        edited("predicate", "policy", "commit", to="HEAD"),
        edited("predicate", "policy", "documents", to=[{}]),
        edited("predicate", "evidence", to=[]),
        edited("predicate", "judged", to=None),
        edited("subject", to=[]),
    ],
)  # fmt: skip
def test_any_other_statement_or_spelling_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_verdict(data)


def test_a_proposal_has_no_commit_and_any_other_policy_has_one() -> None:
    PolicyUsed("proposed", ())
    with pytest.raises(ValueError, match="no commit"):
        PolicyUsed("proposed", (), commit="a" * 40)
    with pytest.raises(ValueError, match="repository"):
        PolicyUsed("in_force", ())


@pytest.mark.parametrize("count", [-1, True])
def test_what_counts_nothing_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="count"):
        RunSetUsed("runs", digest(b""), count, "jsonl")
    with pytest.raises(ValueError, match="version"):
        PolicyUsed("proposed", (PolicyDocument("p", digest(b""), count),))


def test_built_statements_are_valid_under_the_schema() -> None:
    schema = Draft7Validator(verdict_schema())
    bare = VerdictStatement(
        Judged("budget"), PolicyUsed("proposed", ()), Instant(0), "agentpolicy 0", "1",
        (RunSetUsed("runs", digest(b""), 0, "jsonl"),), Decision.INCONCLUSIVE,
    )  # fmt: skip
    for statement in (verdict(), bare):
        schema.validate(json.loads(statement.to_bytes()))


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    schema = Draft7Validator(verdict_schema())
    for data in (edited("predicate", "decision", to="passed"), edited("predicate", "extra", to=1)):
        assert not schema.is_valid(json.loads(data))


def test_the_shipped_schema_is_the_generated_one() -> None:
    shipped = files("agentpolicy") / "schemas" / "verdict.schema.json"
    generated = json.dumps(verdict_schema(), indent=2, ensure_ascii=False) + "\n"
    assert shipped.read_text(encoding="utf-8") == generated
