"""Approval statements: exact, complete, and spelled in one way only."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from agentpolicy.base.canonical import canonical_bytes
from agentpolicy.base.instant import DAY, Instant, parse_instant
from agentpolicy.trust.approval import (
    CLASSES,
    LAPSES_AFTER,
    ApprovalRole,
    ApprovalStatement,
    Covered,
    Operation,
    parse_statement,
)
from hypothesis import given
from hypothesis import strategies as st

OLD, NEW, BLOB = "sha256:" + "0a" * 32, "sha256:" + "1b" * 32, "2c" * 20
BAND = Covered(
    path="policies/bands/refund-agent.yaml",
    operation=Operation.MODIFY,
    old_sha256=OLD,
    new_sha256=NEW,
    new_blob=BLOB,
    old_version=4,
    new_version=5,
    change_class="looser",
)
ADDED = replace(
    BAND, path="policies/tools.yaml", operation="add", old_sha256=None, old_version=0, new_version=1
)
DELETED = replace(
    BAND, path="policies/bands/old.yaml", operation="delete", new_sha256=None, new_blob=None
)
ISSUED = parse_instant("2026-03-02T09:30:00Z")
STATEMENT = ApprovalStatement(
    repository="5f0c" * 8,
    url="https://git.example.com/acme/agents",
    policy_ref="refs/heads/main",
    covered=(BAND, ADDED, DELETED),
    rule_set="1",
    person="pat",
    role=ApprovalRole.PLATFORM_OWNER,
    reason="recalibrated on 240 pairs",
    issued_at=ISSUED,
    expires_at=Instant(ISSUED + LAPSES_AFTER),
)


def test_a_statement_is_an_in_toto_statement_about_the_new_documents() -> None:
    written = json.loads(STATEMENT.to_bytes())
    assert written["_type"] == "https://in-toto.io/Statement/v1"
    assert written["predicateType"] == "urn:agentpolicy:approval:v1"
    digest = {"sha256": "1b" * 32, "gitBlob": BLOB}
    assert written["subject"] == [
        {"name": "policies/bands/refund-agent.yaml", "digest": digest},
        {"name": "policies/tools.yaml", "digest": digest},
    ]


def test_a_statement_binds_everything_an_approval_is_for() -> None:
    predicate = json.loads(STATEMENT.to_bytes())["predicate"]
    documents = predicate.pop("documents")
    assert predicate == {
        "repository": "5f0c" * 8,
        "url": "https://git.example.com/acme/agents",
        "policyRef": "refs/heads/main",
        "ruleSet": "1",
        "person": "pat",
        "role": "platform-owner",
        "reason": "recalibrated on 240 pairs",
        "issuedAt": "2026-03-02T09:30:00Z",
        "expiresAt": "2026-04-01T09:30:00Z",
    }
    assert documents[0] == {
        "path": "policies/bands/old.yaml",
        "operation": "delete",
        "class": "looser",
        "oldVersion": 4,
        "newVersion": 5,
        "oldSha256": "0a" * 32,
    }
    assert [document["path"] for document in documents] == sorted(
        document.path for document in STATEMENT.covered
    )


DIGESTS = st.sampled_from((OLD, NEW, "sha256:" + "f" * 64))
BLOBS = st.sampled_from((BLOB, "3d" * 32))
NUMBERS = st.integers(0, 2**31 - 1)
TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=60)
NAMES = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True)
SIDES = {"add": (False, True), "delete": (True, False), "modify": (True, True)}


@st.composite
def covered(draw: st.DrawFn, path: str) -> Covered:
    # a withdrawal covers nothing else, so it is none of several documents
    operation = draw(st.sampled_from([one for one in Operation if one is not Operation.WITHDRAW]))
    old, new = SIDES.get(operation, (True, True))
    digest, version = draw(DIGESTS), draw(NUMBERS)
    stays = operation is Operation.RATIFY
    return Covered(
        path=path,
        operation=operation,
        old_sha256=digest if old else None,
        new_sha256=(digest if stays else draw(DIGESTS)) if new else None,
        new_blob=draw(BLOBS) if new else None,
        old_version=version,
        new_version=version if stays else draw(NUMBERS),
        change_class=draw(st.sampled_from(CLASSES)),
    )


@st.composite
def statements(draw: st.DrawFn) -> ApprovalStatement:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    issued = draw(st.integers(0, 4_000_000_000))
    return ApprovalStatement(
        repository=draw(st.from_regex(r"[0-9a-f]{32}", fullmatch=True)),
        url=draw(st.none() | TEXTS.filter(bool)),
        policy_ref="refs/heads/" + draw(NAMES),
        covered=tuple(draw(covered(f"policies/bands/{name}.yaml")) for name in names),
        rule_set=draw(NAMES),
        person=draw(NAMES),
        role=draw(st.sampled_from(ApprovalRole)),
        reason=draw(TEXTS),
        issued_at=Instant(issued),
        expires_at=Instant(issued + draw(st.integers(1, LAPSES_AFTER))),
    )


@given(statements())
def test_a_statement_comes_back_from_its_bytes(statement: ApprovalStatement) -> None:
    written = statement.to_bytes()
    assert parse_statement(written) == statement
    assert parse_statement(written).to_bytes() == written
    assert canonical_bytes(json.loads(written)) == written


@given(statements(), st.randoms())
def test_the_order_documents_are_given_in_does_not_matter(
    statement: ApprovalStatement, random: Random
) -> None:
    shuffled = list(statement.covered)
    random.shuffle(shuffled)
    assert replace(statement, covered=tuple(shuffled)) == statement


WRITTEN = STATEMENT.to_bytes()


@given(at=st.integers(0, len(WRITTEN) - 1), value=st.integers(0, 255))
def test_a_changed_byte_is_refused_or_is_another_statement(at: int, value: int) -> None:
    changed = WRITTEN[:at] + bytes((value,)) + WRITTEN[at + 1 :]
    try:
        statement = parse_statement(changed)
    except ValueError:
        return
    assert statement.to_bytes() == changed
    assert (statement == STATEMENT) == (changed == WRITTEN)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_statement_or_a_value_error(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_statement(payload)


def edited(edit: Callable[[dict[str, Any]], object]) -> bytes:
    written = json.loads(WRITTEN)
    edit(written)
    return canonical_bytes(written)


def in_predicate(**changes: object) -> bytes:
    return edited(lambda written: written["predicate"].update(changes))


def in_document(**changes: object) -> bytes:
    return edited(lambda written: written["predicate"]["documents"][1].update(changes))


WRONG = {
    "nothing": b"",
    "another statement type": edited(lambda written: written.update(_type="x")),
    "another predicate type": edited(lambda written: written.update(predicateType="x")),
    "a predicate that is no object": edited(lambda written: written.update(predicate=[])),
    "an unknown key": edited(lambda written: written.update(note="x")),
    "an unknown key in the predicate": in_predicate(parent="x"),
    "an unknown key in a document": in_document(note="x"),
    "a missing key": edited(lambda written: written["predicate"].pop("reason")),
    "a missing key in a document": edited(
        lambda written: written["predicate"]["documents"][0].pop("class")
    ),
    "a subject of another digest": edited(
        lambda written: written["subject"][0]["digest"].update(sha256="3d" * 32)
    ),
    "a subject of another name": edited(
        lambda written: written["subject"][0].update(name="policies/bands/x.yaml")
    ),
    "a subject left out": edited(lambda written: written["subject"].pop()),
    "a subject put in": edited(lambda written: written["subject"].append(written["subject"][0])),
    "documents in another order": edited(
        lambda written: written["predicate"]["documents"].reverse()
    ),
    "no documents": in_predicate(documents=[]),
    "documents that are no list": in_predicate(documents={}),
    "a document that is no object": in_predicate(documents=["x"]),
    "a url that is null": in_predicate(url=None),
    "an empty url": in_predicate(url=""),
    "an unknown role": in_predicate(role="gate"),
    "a role in capitals": in_predicate(role="Reviewer"),
    "a date for an instant": in_predicate(issuedAt="2026-03-02"),
    "an instant with a zone": in_predicate(issuedAt="2026-03-02T09:30:00+00:00"),
    "an instant as a number": in_predicate(issuedAt=1772443800),
    "an unknown operation": in_document(operation="rename"),
    "an operation without its side": in_document(operation="add"),
    "a digest with its prefix": in_document(newSha256=NEW),
    "a digest in capitals": in_document(newSha256="1B" * 32),
    "a blob id that is cut off": in_document(newGitBlob="2c" * 19),
    "a null digest": in_document(oldSha256=None),
    "a version that is a truth value": in_document(oldVersion=True),
    "a version that is text": in_document(oldVersion="4"),
    "a negative version": in_document(oldVersion=-1),
    "an unknown class": in_document(**{"class": "stricter"}),
    "a path out of the repository": in_document(path="policies/../x"),
    "an absolute path": in_document(path="/policies/x"),
    "a number with a fraction": WRITTEN.replace(b'"oldVersion":4', b'"oldVersion":4.0'),
    "a duplicate key": WRITTEN.replace(b'"role":', b'"role":"reviewer","role":'),
    "a blank": WRITTEN.replace(b'"role":', b'"role": '),
    "an escape": WRITTEN.replace(b'"pat"', b'"p\\u0061t"'),
    "half a surrogate pair": WRITTEN.replace(b"recalibrated", b"\\ud800"),
    "data behind": WRITTEN + b"\n",
    "depth": b'{"_type":' * 10_000,
}


@pytest.mark.parametrize("name", WRONG)
def test_anything_but_the_one_spelling_is_refused(name: str) -> None:
    assert WRONG[name] != WRITTEN
    with pytest.raises(ValueError, match=r"\w"):
        parse_statement(WRONG[name])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"covered": ()}, "at least one"),
        ({"covered": (BAND, replace(BAND, new_sha256=OLD))}, "once"),
        ({"repository": "5F0C" * 8}, "repository id"),
        ({"policy_ref": "main"}, "branch name"),
        ({"policy_ref": "refs/heads/a b"}, "branch name"),
        ({"person": "Pat Smith"}, "person"),
        ({"reason": "fine\x1b[2K"}, "hidden"),
        ({"reason": "fine\u202egnorw"}, "hidden"),
        ({"reason": "fi\u200bne"}, "hidden"),
        ({"reason": "two\nlines"}, "hidden"),
        ({"reason": "x" * 1001}, "too long"),
        ({"rule_set": ""}, "empty"),
        ({"expires_at": ISSUED}, "expires after"),
        ({"issued_at": Instant(-1), "expires_at": Instant(0)}, "expires after"),
        ({"expires_at": Instant(ISSUED + 30 * DAY + 1)}, "30 days"),
    ],
)
def test_what_cannot_be_stated_is_refused_when_it_is_made(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        replace(STATEMENT, **changes)


@pytest.mark.parametrize("path", ["", "/etc/x", "policies/../x", "./x", "policies//x", "a\nb"])
def test_only_a_path_inside_the_repository_can_be_covered(path: str) -> None:
    with pytest.raises(ValueError, match="no path in a repository"):
        replace(BAND, path=path)


@pytest.mark.parametrize(
    "changes",
    [
        {"operation": "modify", "old_sha256": None},
        {"operation": "add"},
        {"operation": "delete"},
        {"operation": "close", "new_sha256": None, "new_blob": None},
        {"new_blob": None},
        {"operation": "delete", "new_sha256": None},
    ],
)
def test_the_digests_must_be_those_of_the_operation(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not those of"):
        replace(BAND, **changes)
