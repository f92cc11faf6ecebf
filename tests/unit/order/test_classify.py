from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest
from agentpolicy.base.errors import Problem
from agentpolicy.base.source import Position
from agentpolicy.documents.document import EMPTY, Snapshot, Value
from agentpolicy.order.classify import ChangeClass, ChangeReport, Effect, Operation, classify
from tests.policies import SCHEMAS, document, snapshot

BAND = "policies/bands/refund-agent.yaml"
BUDGET = "policies/budgets/meeting.yaml"
WAIVER = "policies/waivers/w-1.yaml"
CLOSED = "policies/waivers/closed/2026/w-1.yaml"
ROLES = "policies/roles.yaml"
TOOLS = "policies/tools.yaml"
Tree = Mapping[str, Value]


def band(threshold: str = "0.94", version: int = 1, **fields: Value) -> Tree:
    similarity: Value = {"threshold": Decimal(threshold)}
    return {"band_version": version, "fields": {"text_similarity": similarity, **fields}}


def budget(variant: str = "default", hard: int = 25) -> Tree:
    limits: Value = {"steps": {"hard": hard}, "allowed_effects": ()}
    gate: Value = {"per_run": "hard breach fails the run"}
    return {"task_type": "meeting", "variant": variant, "budget": limits, "gate": gate}


def seen(report: ChangeReport) -> list[tuple[str, str, str]]:
    return [(found.rule, str(found.effect), found.pointer) for found in report.findings]


def change(path: str, old: Tree, new: Tree) -> ChangeReport:
    before, after = document(path, old, "old"), document(path, new, "new")
    return classify(snapshot(before), snapshot(after), SCHEMAS)


class TestModifiedDocuments:
    def test_a_lower_text_threshold_is_looser(self) -> None:
        report = change(BAND, band("0.94"), band("0.90"))
        assert report.change_class is ChangeClass.LOOSER
        assert seen(report) == [
            ("band/text-threshold", "looser", "/fields/text_similarity/threshold")
        ]
        found = report.findings[0]
        assert (found.old, found.new) == ("0.94", "0.9")
        assert found.why == "0.9 is lower than 0.94: a run that was refused can be accepted now"

    def test_a_version_bump_beside_a_tightening_leaves_it_a_tightening(self) -> None:
        report = change(BAND, band("0.90", 1), band("0.94", 2))
        assert report.change_class is ChangeClass.TIGHTER
        assert seen(report)[0] == ("band/version", "record", "/band_version")
        (document,) = report.documents
        assert (document.old_version, document.new_version) == (1, 2)

    def test_one_loosening_among_tightenings_is_incomparable_and_is_listed(self) -> None:
        old = band("0.90", tool_order="exact", optional_keys="allowed")
        new = band("0.94", tool_order="any", optional_keys="forbidden")
        report = change(BAND, old, new)
        assert report.change_class is ChangeClass.INCOMPARABLE
        assert [f.rule for f in report.findings if f.effect is Effect.LOOSER] == ["band/tool-order"]

    def test_a_deleted_optional_limit_is_looser(self) -> None:
        old: Tree = band(token_ratio={"max": Decimal("1.4")})
        report = change(BAND, old, band())
        assert seen(report) == [("band/token-ratio-max", "looser", "/fields/token_ratio/max")]
        assert report.findings[0].new is None

    def test_a_default_written_out_is_a_neutral_finding(self) -> None:
        report = change(BAND, band(), band(tool_order="exact"))
        assert report.change_class is ChangeClass.NEUTRAL
        assert seen(report) == [("band/tool-order", "neutral", "/fields/tool_order")]

    def test_bytes_that_change_no_rule_are_one_neutral_finding(self) -> None:
        report = change(BAND, band("0.90"), band("0.9"))
        assert report.change_class is ChangeClass.NEUTRAL
        assert seen(report) == [("document/rewritten", "neutral", "")]

    def test_listing_an_unlisted_tool_as_read_is_looser(self) -> None:
        listed: Tree = {"tools_version": 2, "tools": {"db.drop": {"effect": "read"}}}
        report = change(TOOLS, {"tools_version": 1, "tools": {}}, listed)
        assert report.change_class is ChangeClass.LOOSER

    def test_a_budget_moved_to_another_variant_is_incomparable(self) -> None:
        report = change(BUDGET, budget("default"), budget("other"))
        assert report.change_class is ChangeClass.INCOMPARABLE

    def test_a_field_the_schema_does_not_know_is_unknown(self) -> None:
        report = change(BAND, band(), {**band("0.96"), "mood": "calm"})
        assert report.change_class is ChangeClass.UNKNOWN
        assert ("document/unknown-field", "unknown", "/mood") in seen(report)

    def test_an_unknown_field_stays_unknown_when_both_sides_have_it(self) -> None:
        report = change(BAND, {**band(), "mood": "calm"}, {**band("0.96"), "mood": "calm"})
        assert report.change_class is ChangeClass.UNKNOWN

    def test_a_level_outside_its_chain_stays_unknown_when_both_sides_have_it(self) -> None:
        report = change(BAND, band("0.90", tool_order="odd"), band("0.94", tool_order="odd"))
        assert report.change_class is ChangeClass.UNKNOWN

    def test_an_unknown_field_that_holds_nothing_is_unknown_too(self) -> None:
        empty: Tree = {}
        report = change(BAND, band("0.90"), {**band("0.94"), "mood": empty})
        assert report.change_class is ChangeClass.UNKNOWN

    def test_findings_stand_in_the_order_of_their_pointers(self) -> None:
        write: Tree = {"effect": "write"}
        read: Tree = {"effect": "read"}
        tools = ("a", "a-b", "a/b", "b")
        report = change(
            TOOLS, {"tools": dict.fromkeys(tools, write)}, {"tools": dict.fromkeys(tools, read)}
        )
        pointers = [found.pointer for found in report.findings]
        assert pointers == sorted(pointers)
        assert pointers[0] == "/tools/a-b/effect"

    def test_a_location_is_that_of_the_new_side_where_there_is_one(self) -> None:
        pointer = "/fields/text_similarity/threshold"
        before, after = Position(BAND, 5, 1), Position(BAND, 6, 1)
        old = replace(document(BAND, band("0.94")), positions={pointer: before})
        new = replace(document(BAND, band("0.90")), positions={pointer: after})
        gone = replace(document(BAND, {"band_version": 1}), positions={})
        (found,) = classify(snapshot(old), snapshot(new), SCHEMAS).findings
        assert (found.location, found.old_location) == (after, before)
        (found,) = classify(snapshot(old), snapshot(gone), SCHEMAS).findings
        assert (found.location, found.old_location) == (before, before)

    @pytest.mark.parametrize(
        "after",
        [
            {"people": {"pat": {"keys": ()}, "eve": {"keys": ({"public": "k", "since": 1},)}}},
            {"people": {"pat": {"keys": ()}}, "url": "https://git.example.com"},
        ],
    )
    def test_any_change_of_the_trust_root_is_root(self, after: Tree) -> None:
        report = change(ROLES, {"people": {"pat": {"keys": ()}}}, after)
        assert report.change_class is ChangeClass.INCOMPARABLE
        assert {found.effect for found in report.findings} == {Effect.ROOT}

    @pytest.mark.parametrize("after", [{"roles_version": 1}, {"roles_version": 2}])
    def test_a_comment_or_a_version_of_the_trust_root_is_root_too(self, after: Tree) -> None:
        report = change(ROLES, {"roles_version": 1}, after)
        assert report.change_class is ChangeClass.INCOMPARABLE
        assert ("document/rewritten", "root", "") in seen(report)

    @pytest.mark.parametrize("after", ["2026-03-01", "2026-02-01", "2026-01-01"])
    def test_a_waiver_edited_in_place_is_incomparable(self, after: str) -> None:
        report = change(WAIVER, {"expires_on": "2026-02-01"}, {"expires_on": after})
        assert report.change_class is ChangeClass.INCOMPARABLE
        assert ("waiver/edited", "incomparable", "") in seen(report)

    def test_fields_are_counted_beside_what_changed(self) -> None:
        report = change(BAND, band("0.90", tool_order="any"), band("0.94", tool_order="any"))
        assert report.documents[0].fields == 3
        assert len(report.findings) == 1


class TestWholeDocuments:
    def test_a_new_document_is_established_as_a_loosening(self) -> None:
        after = snapshot(document(BAND, band()))
        report = classify(EMPTY, after, SCHEMAS)
        assert report.change_class is ChangeClass.LOOSER
        assert seen(report) == [("document/added", "looser", "")]
        assert report.documents[0].operation is Operation.ADD
        assert report.documents[0].old_version == 0

    def test_a_deleted_document_is_a_loosening(self) -> None:
        before = snapshot(document(BAND, band()))
        report = classify(before, EMPTY, SCHEMAS)
        assert report.change_class is ChangeClass.LOOSER
        assert seen(report) == [("document/deleted", "looser", "")]
        assert report.findings[0].location == Position(BAND, 1, 1)

    def test_a_renamed_document_is_gone_and_new(self) -> None:
        other = "policies/bands/other-agent.yaml"
        before, after = document(BAND, band()), document(other, band())
        report = classify(snapshot(before), snapshot(after), SCHEMAS)
        assert [(c.path, str(c.operation)) for c in report.documents] == [
            (other, "add"),
            (BAND, "delete"),
        ]
        assert report.change_class is ChangeClass.LOOSER

    @pytest.mark.parametrize("both", [EMPTY, None])
    def test_adding_or_deleting_the_trust_root_is_root(self, both: Snapshot | None) -> None:
        roles = snapshot(document(ROLES, {"roles_version": 1}))
        sides = (EMPTY, roles) if both else (roles, EMPTY)
        report = classify(*sides, SCHEMAS)
        assert report.findings[0].effect is Effect.ROOT

    def test_a_new_waiver_is_a_loosening(self) -> None:
        report = classify(EMPTY, snapshot(document(WAIVER, {"id": "w-1"})), SCHEMAS)
        assert seen(report) == [("waiver/added", "looser", "")]

    def test_closing_a_waiver_unaltered_is_a_tightening(self) -> None:
        before, after = (document(path, {}, "same") for path in (WAIVER, CLOSED))
        report = classify(snapshot(before), snapshot(after), SCHEMAS)
        assert report.change_class is ChangeClass.TIGHTER
        assert seen(report) == [("waiver/closed", "tighter", "")]
        (change,) = report.documents
        assert (change.path, change.operation) == (WAIVER, Operation.CLOSE)
        assert change.old_sha256 == change.new_sha256 == before.sha256
        assert change.new is not None
        assert change.new.path == CLOSED

    def test_closing_a_waiver_with_other_bytes_is_no_closing(self) -> None:
        before, after = document(WAIVER, {}, "one"), document(CLOSED, {}, "other")
        report = classify(snapshot(before), snapshot(after), SCHEMAS)
        assert [str(c.operation) for c in report.documents] == ["add", "delete"]
        assert report.change_class is ChangeClass.LOOSER

    def test_a_closed_copy_beside_the_open_waiver_is_no_closing(self) -> None:
        before, copy = (document(path, {}, "same") for path in (WAIVER, CLOSED))
        report = classify(snapshot(before), snapshot(before, copy), SCHEMAS)
        assert seen(report) == [("waiver/added", "looser", "")]

    def test_opening_a_closed_waiver_again_is_a_loosening(self) -> None:
        before, after = (document(path, {}, "same") for path in (CLOSED, WAIVER))
        report = classify(snapshot(before), snapshot(after), SCHEMAS)
        assert report.change_class is ChangeClass.LOOSER

    def test_two_closed_copies_close_a_waiver_once(self) -> None:
        second = CLOSED.replace("2026", "2027")
        before, *after = (document(path, {}, "same") for path in (WAIVER, CLOSED, second))
        report = classify(snapshot(before), snapshot(*after), SCHEMAS)
        assert [(c.path, str(c.operation)) for c in report.documents] == [
            (second, "add"),
            (WAIVER, "close"),
        ]
        assert report.change_class is ChangeClass.INCOMPARABLE

    def test_deleting_a_waiver_that_was_also_closed_before_is_a_deletion(self) -> None:
        both, closed = (document(path, {}, "same") for path in (WAIVER, CLOSED))
        report = classify(snapshot(both, closed), snapshot(closed), SCHEMAS)
        assert seen(report) == [("document/deleted", "looser", "")]

    @pytest.mark.parametrize(
        ("before", "after", "operation"),
        [
            ({"ci.yml": "sha256:a"}, {"ci.yml": "sha256:b"}, Operation.MODIFY),
            ({}, {"ci.yml": "sha256:b"}, Operation.ADD),
            ({"ci.yml": "sha256:a"}, {}, Operation.DELETE),
        ],
    )
    def test_a_guarded_file_that_changes_is_root(
        self,
        before: Mapping[str, str],
        after: Mapping[str, str],
        operation: Operation,
    ) -> None:
        old, new = snapshot(guarded=before), snapshot(guarded=after)
        report = classify(old, new, SCHEMAS)
        assert seen(report) == [("guarded/changed", "root", "")]
        assert report.documents[0].operation is operation
        assert report.change_class is ChangeClass.INCOMPARABLE


class TestWhatCannotBeCompared:
    def test_an_unreadable_new_side_is_unknown_and_carries_its_problems(self) -> None:
        problem = Problem("duplicate-key", "fields is written twice", document=BAND)
        new = Snapshot(unreadable={BAND: (problem,)}, digests={BAND: "sha256:b"})
        report = classify(snapshot(document(BAND, band())), new, SCHEMAS)
        assert report.change_class is ChangeClass.UNKNOWN
        assert report.problems == (problem,)
        assert "fields is written twice" in report.findings[0].why

    def test_an_unreadable_old_side_is_unknown_and_can_be_repaired(self) -> None:
        problem = Problem("duplicate-key", "fields is written twice", document=BAND)
        old = Snapshot(unreadable={BAND: (problem,)}, digests={BAND: "sha256:b"})
        report = classify(old, snapshot(document(BAND, band())), SCHEMAS)
        assert report.change_class is ChangeClass.UNKNOWN
        assert report.problems == ()
        assert report.documents[0].operation is Operation.MODIFY

    def test_what_is_unreadable_and_unchanged_is_no_change_but_stays_a_problem(self) -> None:
        problem = Problem("duplicate-key", "fields is written twice", document=BAND)
        side = Snapshot(unreadable={BAND: (problem,)}, digests={BAND: "sha256:b"})
        report = classify(side, side, SCHEMAS)
        assert (report.documents, report.problems) == ((), (problem,))

    def test_what_has_no_digest_is_never_taken_for_unchanged(self) -> None:
        side = Snapshot(unreadable={BAND: (Problem("symlink", "it is a symbolic link"),)})
        report = classify(side, side, SCHEMAS)
        assert [(c.path, c.change_class) for c in report.documents] == [(BAND, ChangeClass.UNKNOWN)]

    def test_a_file_that_is_known_by_its_digest_alone_is_not_passed_over(self) -> None:
        path = "policies/notes.txt"
        old, new = (Snapshot(digests={path: f"sha256:{side}"}) for side in "ab")
        report = classify(old, new, SCHEMAS)
        assert [(c.path, c.change_class) for c in report.documents] == [(path, ChangeClass.UNKNOWN)]

    def test_a_document_that_also_counts_as_unreadable_is_not_read(self) -> None:
        good = snapshot(document(BAND, band("0.90"), "old"))
        twin = document(BAND, band("0.94"), "new")
        bad = Snapshot(
            documents={BAND: twin},
            unreadable={BAND: (Problem("case-twin", "two names differ by case alone"),)},
            digests={BAND: twin.sha256},
        )
        assert classify(good, bad, SCHEMAS).change_class is ChangeClass.UNKNOWN

    def test_comparing_nothing_is_not_no_change(self) -> None:
        report = classify(EMPTY, EMPTY, SCHEMAS)
        assert report.compared == 0
        assert report.change_class is ChangeClass.UNKNOWN

    def test_a_second_budget_for_one_pair_is_a_problem(self) -> None:
        second = "policies/budgets/other.yaml"
        new = snapshot(document(BUDGET, budget()), document(second, budget()))
        (problem,) = classify(EMPTY, new, SCHEMAS).problems
        assert problem.code == "budget-pair-taken"
        assert problem.document == second
        assert BUDGET in problem.message

    def test_budgets_for_two_variants_live_side_by_side(self) -> None:
        other = document("policies/budgets/other.yaml", budget("other"))
        new = snapshot(document(BUDGET, budget()), other)
        assert classify(EMPTY, new, SCHEMAS).problems == ()


class TestTheWhole:
    def test_the_class_of_a_document_does_not_depend_on_another(self) -> None:
        old = snapshot(document(BAND, band("0.90")), document(BUDGET, budget()))
        new = snapshot(document(BAND, band("0.94")), document(BUDGET, budget(hard=30)))
        report = classify(old, new, SCHEMAS)
        assert report.change_class is ChangeClass.INCOMPARABLE
        assert {c.path: str(c.change_class) for c in report.documents} == {
            BAND: "tighter",
            BUDGET: "looser",
        }

    def test_unchanged_documents_are_counted_and_not_listed(self) -> None:
        same = document(BUDGET, budget())
        old = snapshot(same, document(BAND, band("0.90")), guarded={"ci": "sha256:a"})
        new = snapshot(same, document(BAND, band("0.94")), guarded={"ci": "sha256:a"})
        report = classify(old, new, SCHEMAS)
        assert report.compared == 3
        assert [change.path for change in report.documents] == [BAND]

    def test_nothing_changed_is_neutral_without_findings(self) -> None:
        side = snapshot(document(BAND, band()))
        report = classify(side, side, SCHEMAS)
        assert (report.change_class, report.findings) == (ChangeClass.NEUTRAL, ())
