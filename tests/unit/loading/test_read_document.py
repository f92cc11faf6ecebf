"""One document: its kind by its place, its schema in words, and what holds between its fields."""

from decimal import Decimal

import pytest
from agentpolicy.documents.document import DocumentKind
from agentpolicy.loading.document import (
    governed_name,
    guess_kind,
    misplaced,
    read_candidate,
    read_document,
)
from tests.written import (
    BAND,
    BAND_PATH,
    BUDGET,
    BUDGET_PATH,
    TOOLS,
    TOOLS_PATH,
    WAIVER,
    WAIVER_PATH,
    places,
    problems,
)

WRITTEN = [
    (BAND_PATH, BAND, DocumentKind.BAND),
    (BUDGET_PATH, BUDGET, DocumentKind.BUDGET),
    (TOOLS_PATH, TOOLS, DocumentKind.TOOLS),
    (WAIVER_PATH, WAIVER, DocumentKind.WAIVER),
    ("policies/waivers/closed/2026/w-2026-014.yaml", WAIVER, DocumentKind.WAIVER),
]


@pytest.mark.parametrize(("path", "text", "kind"), WRITTEN)
def test_a_document_reads_as_what_its_folder_says(path: str, text: str, kind: DocumentKind) -> None:
    document = read_document(path, text.encode())
    assert document.kind is kind
    assert document.path == path
    assert document.data == text.encode()
    assert document.sha256.startswith("sha256:")


def test_limits_are_exact() -> None:
    tree = read_document(BUDGET_PATH, BUDGET.encode()).tree
    budget = tree["budget"]
    assert isinstance(budget, dict)
    assert budget["cost_usd"] == {"soft": Decimal("0.60"), "hard": Decimal("1.50")}
    assert budget["steps"]["hard"] == 25


BAND_EDITS = [
    ("    threshold", "    thresold", [("missing-key", 5, 3), ("unknown-key", 6, 5)]),
    ("waivers:", "waiver:", [("unknown-key", 17, 1)]),
    ("band_version: 7\n", "", [("missing-key", 1, 1)]),
    ("band_version: 7", "band_version: 0", [("out-of-range", 1, 15)]),
    ("band_version: 7", "band_version: 7.0", [("wrong-type", 1, 15)]),
    ("band_version: 7", "band_version: 7.5", [("wrong-type", 1, 15)]),
    ("band_version: 7", "band_version: seven", [("wrong-type", 1, 15)]),
    ("band_version: 7", "band_version: true", [("wrong-type", 1, 15)]),
    ("0.92", "1.01", [("out-of-range", 6, 16)]),
    ("0.92", "-0.01", [("out-of-range", 6, 16)]),
    ("0.92", "1.0000000000000000000000000000001", [("out-of-range", 6, 16)]),
    ("0.92", '"0.92"', [("wrong-type", 6, 16)]),
    ("0.92", "[0.92]", [("wrong-type", 6, 16)]),
    ("0.92", "{min: 0.92}", [("wrong-type", 6, 16)]),
    ("0.92", "0.92x", [("wrong-type", 6, 16)]),
    ("1.5x", "1.5", [("multiple-without-x", 12, 11)]),
    ("1.5x", "2", [("multiple-without-x", 12, 11)]),
    ("1.5x", '"1.5"', [("multiple-without-x", 12, 11)]),
    ("1.5x", "1.5 x", [("wrong-form", 12, 11)]),
    ("1.5x", "1.5X", [("wrong-form", 12, 11)]),
    ("1.5x", "3.5x", [("contradiction", 12, 11)]),
    ("required_keys: exact", "required_keys: exat", [("unknown-choice", 8, 18)]),
    ("required_keys: exact", "required_keys: 3", [("wrong-value", 8, 18)]),
    ("required_keys: exact", "required_keys: [a, 3]", [("wrong-type", 8, 22)]),
    ("required_keys: exact", "required_keys: [a, b, a]", [("repeated-item", 8, 25)]),
    ("required_keys: exact", "required_keys: [[{a: 1}], [{a: 1}]]", [
        ("repeated-item", 8, 18), ("wrong-type", 8, 19), ("wrong-type", 8, 29),
    ]),
    ("optional_keys: allowed", "optional_keys: alowed", [("unknown-choice", 9, 18)]),
    ("optional_keys: allowed", "optional_keys: 3", [("wrong-type", 9, 18)]),
    ("optional_keys: allowed", "optional_keys: []", [("wrong-type", 9, 18)]),
    ("approved_on: 2026-03-02", "approved_on: 2026-02-30", [("contradiction", 3, 14)]),
    ("approved_on: 2026-03-02", "approved_on: 2026-3-2", [("wrong-form", 3, 14)]),
    ("approved_on: 2026-03-02", "approved_on: 20260302", [("wrong-type", 3, 14)]),
    ("approved_by: platform-owner", 'approved_by: ""', [("too-short", 2, 14)]),
    ("min: 0.7", "min: 1.7", [("contradiction", 15, 10)]),
    ("waivers:\n  required_evidence: [", "waivers: [", [("wrong-type", 17, 10)]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), BAND_EDITS)
def test_what_the_schema_refuses_is_shown_where_it_stands(
    old: str, new: str, expected: list[tuple[str, int, int]]
) -> None:
    assert old in BAND
    assert places(problems(read_document, BAND.replace(old, new), BAND_PATH)) == expected


@pytest.mark.parametrize(
    ("old", "new", "says", "hint"),
    [
        (
            "    threshold",
            "    thresold",
            "`thresold` is not a key of",
            "did you mean `threshold`?",
        ),
        ("tool_order", "toolorder", "`toolorder` is not a key of", "did you mean `tool_order`?"),
        ("waivers:", "zzz:", "`zzz` is not a key of a band", "keys here: band_version"),
        ("0.92", '"0.92"', 'the text "0.92"; a number from 0 to 1', "write 0.92 without quotes"),
        ("0.92", "0.9x", 'the text "0.9x"; a number from 0 to 1', "write 0.9 without the x"),
        ("0.92", "1.5", "the number 1.5; a number from 0 to 1 belongs", "least similarity"),
        ("1.5x", "1.50", "a multiple of the baseline such as 1.5x", "write 1.5x"),
        ("allowed", "alowed", "`forbidden` or `allowed` belongs", "did you mean `allowed`?"),
        ("allowed", "qqqq", "`forbidden` or `allowed` belongs", "`optional_keys`:"),
        ("required_keys: exact", "required_keys: 3", "`exact` or a list, each item", ""),
        (
            "required_keys: exact",
            "required_keys: exat",
            "`exact` or a list",
            "did you mean `exact`?",
        ),
        ("platform-owner", "12", "text of at most 1000 characters", 'write "12" if text is meant'),
        ("[fixture_id", "[[fixture_id]", "item 1 of `required_evidence` is a list", ""),
        ("2026-03-02", "soon", "a date such as 2026-03-31 belongs", ""),
        ("band_version: 7", "band_version: 7.0", "a whole number belongs", "write 7"),
    ],
)
def test_a_refusal_says_what_was_found_what_belongs_there_and_what_to_type(
    old: str, new: str, says: str, hint: str
) -> None:
    found = problems(read_document, BAND.replace(old, new, 1), BAND_PATH)
    assert any(says in problem.message and hint in problem.hint for problem in found), found


def test_all_problems_of_a_document_are_found_in_one_reading_in_the_order_of_the_file() -> None:
    text = (
        BAND.replace("band_version: 7", "band_version: yes")
        .replace("0.92", "1.2")
        .replace("warn: 1.5x", "warn: 1.5")
        .replace("  token_ratio", "  tokenratio")
        .replace("waivers:", "tool_order: &x any\nwaivers:")
    )
    assert places(problems(read_document, text, BAND_PATH)) == [
        ("ambiguous-boolean", 1, 15),
        ("out-of-range", 6, 16),
        ("multiple-without-x", 12, 11),
        ("unknown-key", 14, 3),
        ("unknown-key", 17, 1),
        ("anchor", 17, 13),
    ]


def test_a_value_that_yaml_refuses_is_not_complained_about_twice() -> None:
    found = problems(read_document, BAND.replace("0.92", "9e-1"), BAND_PATH)
    assert places(found) == [("ambiguous-number", 6, 16)]


def test_nothing_is_called_missing_in_a_file_that_could_not_be_read_to_its_end() -> None:
    found = problems(read_document, "approved_by: [\n", BAND_PATH)
    assert [problem.code for problem in found] == ["syntax"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TOOLS.replace("calendar.search:", '"a b":'), [("wrong-key", 3, 3)]),
        (TOOLS.replace("effect: read", "effect: reed"), [("unknown-choice", 3, 29)]),
        (TOOLS.replace("idempotent: true", "idempotent: 1"), [("wrong-type", 3, 47)]),
        (TOOLS.replace("idempotent: true", 'idempotent: "true"'), [("wrong-type", 3, 47)]),
        (TOOLS.replace("{effect: read, ", "{"), [("missing-key", 3, 3)]),
        (TOOLS.replace("{effect: read, idempotent: true}", "read"), [("wrong-type", 3, 20)]),
    ],
)
def test_entries_with_names_of_their_own_are_checked_like_fields(
    text: str, expected: list[tuple[str, int, int]]
) -> None:
    assert places(problems(read_document, text, TOOLS_PATH)) == expected


def test_a_waiver_whose_file_name_contradicts_its_id_is_refused() -> None:
    path = "policies/waivers/other.yaml"
    found = problems(read_document, WAIVER, path)
    assert places(found) == [("name-mismatch", 1, 5)]
    assert "w-2026-014" in found[0].message


def test_a_waiver_that_ends_before_it_begins_is_refused() -> None:
    text = WAIVER.replace("expires_on: 2026-03-30", "expires_on: 2026-03-01")
    assert [p.code for p in problems(read_document, text, WAIVER_PATH)] == ["contradiction"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("policies/bands/refund-agent.yml", "wrong-suffix"),
        ("policies/README.md", "unknown-file"),
        ("policies/bands/sub/x.yaml", "unknown-file"),
        ("policies/Bands/x.yaml", "unknown-file"),
        ("policies/bands/X.yaml", "unknown-file"),
        ("policies/bands/.yaml", "unknown-file"),
        ("policies/bands.yaml", "unknown-file"),
        ("policies/old/policies/tools.yaml", "unknown-file"),
        ("bands/x.yaml", "unknown-file"),
        ("policies/bands/x.yaml\n", "unknown-file"),
        ("policies/bands/\u0430.yaml", "unknown-file"),
    ],
)
def test_a_file_where_no_document_may_be_is_refused_whatever_it_holds(path: str, code: str) -> None:
    assert [problem.code for problem in problems(read_document, BAND, path)] == [code]


def test_the_wrong_suffix_comes_with_the_rename_to_type() -> None:
    renamed = "git mv policies/bands/a.yml policies/bands/a.yaml"
    assert misplaced("policies/bands/a.yml").hint == renamed


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("policies/bands/x.yaml", "policies/bands/x.yaml"),
        ("/srv/agents/policies/bands/x.yaml", "policies/bands/x.yaml"),
        ("policies/old/policies/tools.yaml", "policies/tools.yaml"),
        ("../policies/tools.yaml", "policies/tools.yaml"),
        ("candidates/x.yaml", "candidates/x.yaml"),
        ("my-policies/x.yaml", "my-policies/x.yaml"),
        ("policies", "policies"),
    ],
)
def test_the_governed_name_begins_at_the_last_policies_folder(path: str, name: str) -> None:
    assert governed_name(path) == name


@pytest.mark.parametrize(("path", "text", "kind"), WRITTEN[:4])
def test_a_candidate_outside_the_policies_is_read_as_what_its_keys_say(
    path: str, text: str, kind: DocumentKind
) -> None:
    outside = path.rsplit("/", 1)[-1]
    assert read_candidate(f"/tmp/{outside}", text.encode()).kind is kind


def test_a_candidate_in_a_policies_folder_is_read_by_its_place_and_shown_as_given() -> None:
    document = read_candidate(f"/srv/{BAND_PATH}", BAND.encode())
    assert document.path == BAND_PATH
    assert document.positions["/fields"].path == f"/srv/{BAND_PATH}"


def test_a_candidate_of_no_known_kind_is_refused() -> None:
    assert [p.code for p in problems(read_candidate, "a: 1\n", "x.yaml")] == ["unknown-file"]


def test_a_candidate_that_is_not_yaml_says_so_first() -> None:
    assert [p.code for p in problems(read_candidate, "a: [\n", "x.yaml")] == ["syntax"]


def test_roles_are_known_by_people_and_roles() -> None:
    assert guess_kind({"people": {}, "roles": {}}) is DocumentKind.ROLES
    assert guess_kind({"people": {}}) is None
