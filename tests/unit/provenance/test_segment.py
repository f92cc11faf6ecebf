"""What a log commit's signature states, in one spelling, under one namespace."""

import pytest
from agentpolicy.base.canonical import canonical_bytes, digest
from agentpolicy.provenance.segment import (
    LOG_NAMESPACE,
    SEGMENT_FILE,
    SEGMENT_TYPE,
    SegmentStatement,
    next_state,
    open_segment,
    seal_segment,
)
from agentpolicy.provenance.verdict import STATEMENT_TYPE
from agentpolicy.trust.envelope import seal
from tests.verdict_log import REPOSITORY, signer_of

CI = signer_of("ci")
STATEMENT = SegmentStatement(
    REPOSITORY, {SEGMENT_FILE: digest(b"segment"), "evidence.json": digest(b"evidence")}, None
)
SUBJECT = {"name": SEGMENT_FILE, "digest": {"sha256": "0" * 64}}


def stated(
    *,
    kind: str = SEGMENT_TYPE,
    statement_type: str = STATEMENT_TYPE,
    subjects: tuple[object, ...] = (SUBJECT,),
    extends: object = None,
) -> bytes:
    predicate = {"repository": REPOSITORY, "extends": extends}
    return canonical_bytes(
        {
            "_type": statement_type,
            "subject": subjects,
            "predicateType": kind,
            "predicate": predicate,
        }
    )


def test_what_was_sealed_opens_to_the_same_statement_and_key() -> None:
    assert open_segment(seal_segment(STATEMENT, CI)) == (STATEMENT, CI.public_key)


def test_each_state_depends_on_the_one_before_and_on_the_segment() -> None:
    first = next_state(None, digest(b"a"))
    assert STATEMENT.state == next_state(None, digest(b"segment"))
    states = {first, next_state(first, digest(b"a")), next_state(None, digest(b"b"))}
    assert len(states) == 3


def test_a_signature_given_for_something_else_does_not_open() -> None:
    with pytest.raises(ValueError, match="made for"):
        open_segment(seal(STATEMENT.to_bytes(), CI, "agentpolicy-approval@v1"))


def test_a_segment_statement_in_its_one_spelling_opens() -> None:
    assert open_segment(seal(stated(), CI, LOG_NAMESPACE))[0].extends is None


@pytest.mark.parametrize(
    "payload",
    [
        b"{}",
        stated(kind="urn:agentpolicy:approval:v1"),
        stated(statement_type="https://in-toto.io/Statement/v0.1"),
        stated(subjects=()),
        stated(subjects=(SUBJECT, SUBJECT)),
        stated(subjects=(SUBJECT, {"name": "a", "digest": {"sha256": "0" * 64}})),
        stated(subjects=({},)),
        stated(subjects=({"name": SEGMENT_FILE, "digest": {}},)),
        stated(subjects=({"name": SEGMENT_FILE, "digest": {"sha256": "0"}},)),
        stated(extends="sha256:0"),
        stated(extends=1),
    ],
)
def test_whatever_else_was_signed_is_no_segment(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        open_segment(seal(payload, CI, LOG_NAMESPACE))
