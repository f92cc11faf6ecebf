"""The rule catalogue: complete, stable, documented, and true of what admission asks for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agentpolicy.admission.requirements import requirements
from agentpolicy.base.instant import parse_instant
from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.rows import Kind, Reader, Row
from agentpolicy.loading.schemas import all_schemas, rows_of
from agentpolicy.order.change import (
    ChangeReport,
    DocumentChange,
    Effect,
    Finding,
    Operation,
    combine,
)
from agentpolicy.order.whole_rules import WHOLE_RULES
from agentpolicy.report.rules_catalogue import APPROVER, PLACES, WHOLE, Rule, catalogue
from agentpolicy.report.rules_json import rules_json
from agentpolicy.report.rules_pages import anchor
from agentpolicy.report.rules_text import rule_text, rules_text
from agentpolicy.trust.authority import authority_of
from agentpolicy.workflows.generate import RULES as PAGES
from agentpolicy.workflows.generate import rule_files
from tests.admission_world import FIRST
from tests.policies import document

LISTED = Path(__file__).parents[2] / "data" / "rules.txt"
RULES = catalogue(all_schemas())
BY_ID = {rule.id: rule for rule in RULES}
EVERY = [pytest.param(rule, id=rule.id) for rule in RULES]
SHOWN = [
    pytest.param(BY_ID[row.rule], row, id=f"{kind}{pointer}")
    for kind in DocumentKind
    for pointer, row in rows_of(kind).items()
]


def listed(heading: str) -> list[str]:
    _, _, rest = LISTED.read_text(encoding="utf-8").partition(f"# {heading}\n")
    names = rest.partition("\n#")[0].split()
    assert len(names) == len(set(names))
    return names


def test_no_rule_went_or_came_without_being_listed() -> None:
    """Ids stand in reports, suppressions and links: a rule that goes is retired, never renamed."""
    assert listed("in use") == sorted(BY_ID)


def test_an_id_that_was_retired_is_never_used_again() -> None:
    assert not set(listed("retired")) & set(BY_ID)


def test_every_rule_stands_in_the_catalogue_once() -> None:
    assert len(RULES) == len(BY_ID)
    assert {rule.rule for rule in WHOLE_RULES} <= set(BY_ID)
    assert set(PLACES) == set(DocumentKind)


@pytest.mark.parametrize(("rule", "row"), SHOWN)
def test_a_leaf_stands_in_the_catalogue_at_its_place(rule: Rule, row: Row) -> None:
    kind = DocumentKind(rule.document)
    places = tuple(at for at, other in rows_of(kind).items() if other.rule == row.rule)
    assert rule.pointers == places
    assert (rule.why, rule.kind, rule.source) == (row.why, row.kind, row.source)
    assert not rule.part_of


def test_a_leaf_within_a_leaf_names_the_rule_that_shows_it() -> None:
    inner = {rule.id: rule.part_of for rule in RULES if rule.part_of}
    assert inner == {
        "band/content-contains": "band/required-content",
        "band/content-absent": "band/required-content",
        "baseline/accepted-fixture": "baseline/re-baselined",
        "baseline/accepted-before": "baseline/re-baselined",
        "baseline/accepted-after": "baseline/re-baselined",
        "baseline/accepted-reason": "baseline/re-baselined",
        "waiver/fixture": "waiver/cases",
        "waiver/measured": "waiver/cases",
        "roles/key-public": "roles/keys",
        "roles/key-compromised": "roles/keys",
        "roles/reset-replaces": "roles/resets",
        "roles/reset-version": "roles/resets",
        "roles/key-since": "roles/keys",
        "roles/key-until": "roles/keys",
    }


@pytest.mark.parametrize("rule", EVERY)
def test_every_rule_says_what_a_reader_needs(rule: Rule) -> None:
    assert rule.why.endswith(".")
    assert rule.reader
    assert rule.signatures
    assert rule.tighter or rule.looser or rule.otherwise or rule.because
    assert rule.examples or rule.document == WHOLE
    assert "{" not in rule.because


@pytest.mark.parametrize("rule", EVERY)
def test_every_rule_has_a_section_on_a_page_and_a_line_in_the_index(rule: Rule) -> None:
    page = (PAGES / f"{rule.document}.md").read_text(encoding="utf-8")
    assert f"\n## {rule.id}\n" in page
    index = (PAGES / "README.md").read_text(encoding="utf-8")
    assert f"[{rule.id}]({rule.document}.md#{anchor(rule.id)})" in index


@pytest.mark.parametrize(("name", "text"), rule_files().items())
def test_the_pages_are_those_the_rows_give(name: str, text: str) -> None:
    assert (PAGES / name).read_text(encoding="utf-8") == text, "run make schemas"


def test_no_page_is_left_over() -> None:
    assert {page.name for page in PAGES.iterdir()} == set(rule_files())


# --- who signs: the catalogue against admission itself ----------------------------------------

AUTHORITY = authority_of(document("policies/roles.yaml", dict(FIRST.snapshot.roles.tree)))  # type: ignore[union-attr]  # it has roles
AT = parse_instant("2026-03-10T12:00:00Z")
PATHS = {
    "band": "policies/bands/refund-agent.yaml",
    "budget": "policies/budgets/schedule-meeting.yaml",
    "baseline": "policies/baselines/refund-agent.yaml",
    "tools": "policies/tools.yaml",
    "roles": "policies/roles.yaml",
    "waiver": "policies/waivers/w1.yaml",
}
WAIVER_TREE = {"agent": "refund-agent", "owner": "alice", "expires_on": "2026-03-30"}


def asked(rule: Rule, effect: Effect) -> tuple[str, ...]:
    """Ask admission who must sign a change that is nothing but this rule with this effect."""
    path = PATHS.get(rule.document, PATHS["band"])
    operation = Operation.MODIFY
    if rule.document == WHOLE:
        path, operation = whole_change(rule, path)
    document_kind = rule.document if rule.document in PATHS else "band"
    row = Row(rule.id, Kind.OPAQUE, Reader.RUN, "") if document_kind else None
    finding = Finding(rule.id, effect, path, "", None, None, None, None, "", row)
    tree = WAIVER_TREE if "/waivers/" in path else {}
    side = document(path, tree) if path in PATHS.values() else None
    change = DocumentChange(
        path, operation, combine((effect,)), side, side, "sha256:1", "sha256:2", (finding,)
    )
    report = ChangeReport(change.change_class, (change,), 1)
    needs = requirements(FIRST.snapshot, report, AUTHORITY, AUTHORITY, AT)
    return tuple(str(need.role) for need in needs)


def whole_change(rule: Rule, path: str) -> tuple[str, Operation]:
    if rule.id.startswith("guarded/"):
        return "ci.yml", Operation.MODIFY
    if rule.id.startswith("waiver/"):
        path = PATHS["waiver"]
    name = rule.id.partition("/")[2]
    operations = {
        "added": Operation.ADD,
        "deleted": Operation.DELETE,
        "closed": Operation.CLOSE,
    }
    return path, operations.get(name, Operation.MODIFY)


def signatures() -> Iterator[object]:
    for rule in RULES:
        for effect in rule.signatures:
            yield pytest.param(rule, effect, id=f"{rule.id}: {effect}")


@pytest.mark.parametrize(("rule", "effect"), list(signatures()))
def test_the_catalogue_names_the_signers_that_admission_asks_for(
    rule: Rule, effect: Effect
) -> None:
    named = tuple("reviewer" if who == APPROVER else who for who in rule.signatures[effect])
    assert asked(rule, effect) == named


# --- how it is shown ------------------------------------------------------------------------------


def test_a_rule_is_explained_in_full() -> None:
    assert rule_text(BY_ID["band/text-threshold"]) == (
        "band/text-threshold: The least similarity of an answer to its best reference; "
        "equal passes.\n"
        "\n"
        "  stands at              policies/bands/<agent>.yaml /fields/text_similarity/threshold\n"
        "  kind                   min-limit\n"
        "  tighter when           it is higher\n"
        "  looser when            it is lower\n"
        "  absent                 no limit if fields.text_similarity is absent as a whole; else "
        "refused\n"
        "  read by                the gate, about each run\n"
        "  if neutral or tighter  the agent owner alone\n"
        "  if looser              the agent owner and the platform owner\n"
        "  source                 Setting the Tolerance Band for an Agent Equivalence Rule\n"
        "  example                0.92\n"
    )


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("band/argument-rule", "exact, normalised, similar(share), ignored (strict first, and a"),
        ("band/waiver-evidence", "fixture_id, field, measured, band, reason, change_link"),
        ("band/text-class-threshold", "the value of fields.text_similarity.threshold"),
        ("band/required-content", "what fields.required_content.all asks for"),
        ("band/comparability-varies", "none"),
        ("budget/evaluators", "any"),
        ("budget/allowed-effects", "refused: it must be written"),
        ("tools/effect", "destructive if tools.* is absent as a whole; else refused"),
        ("waiver/measured", "waiver/cases, which is compared as a whole"),
        ("baseline/re-baselined", "any listed person proposes, a reviewer approves"),
        ("waiver/added", "the role approves that the band names"),
        ("band/drift-warmup", "reports: whether something is noted"),
    ],
)
def test_an_explanation_says(rule: str, line: str) -> None:
    assert line in rule_text(BY_ID[rule])


def test_the_list_has_a_line_for_every_rule() -> None:
    text = rules_text(RULES)
    for rule in RULES:
        assert f"\n  {rule.id} " in text
    assert text.startswith("band policies/bands/<agent>.yaml\n")
    assert "/repeats — tighter when it is higher\n" in text
    assert "\nchange\n  document/added" in text


def test_the_json_has_every_field_of_every_rule() -> None:
    written = rules_json(RULES)
    assert written["format_version"] == 1
    rules = written["rules"]
    assert isinstance(rules, list)
    assert [rule["id"] for rule in rules] == [rule.id for rule in RULES]
    assert all(rule.keys() == rules[0].keys() for rule in rules)
    tolerance = next(rule for rule in rules if rule["id"] == "band/argument-tolerance")
    assert tolerance["pointers"] == ["/fields/arguments/*/*/tolerance"]
    assert tolerance["approvals"] == {
        "neutral": ["agent-owner"],
        "tighter": ["agent-owner"],
        "looser": ["agent-owner", "platform-owner"],
    }


def test_a_page_shows_what_may_be_written() -> None:
    page = rule_files()["band.md"]
    assert '```yaml\nrequired_content: ["cites_source", {"absent": "as an AI"}]\n```' in page
    assert "```yaml\nthreshold: 0.92\n```" in page


def test_a_rule_at_several_places_is_one_rule() -> None:
    assert len(BY_ID["roles/threshold"].pointers) == 3
