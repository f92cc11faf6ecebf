from decimal import Decimal

from agentpolicy.documents.document import EMPTY, Value
from agentpolicy.loading.document import read_document
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.order.classify import classify
from agentpolicy.report.diff_text import diff_text
from agentpolicy.report.diff_view import DiffView, NeededApproval
from tests.policies import SCHEMAS, document, snapshot

BAND = "policies/bands/refund-agent.yaml"
OWNER = NeededApproval(BAND, "agent-owner", ("alice",))
PLATFORM = NeededApproval(BAND, "platform-owner", ("pat", "priya"))


def view(old: Value, new: Value, *needed: NeededApproval) -> DiffView:
    before, after = (
        snapshot(document(BAND, {"band_version": 1, "fields": fields}, text))
        for fields, text in ((old, "old"), (new, "new"))
    )
    return DiffView(classify(before, after, SCHEMAS), needed, ("agentpolicy sign --key KEY",))


MIXED = view(
    {"text_similarity": {"threshold": Decimal("0.90")}, "tool_order": "exact"},
    {"text_similarity": {"threshold": Decimal("0.94")}, "tool_order": "any"},
    OWNER,
    PLATFORM,
)


def test_a_mixed_change_reads_as_written_here() -> None:
    assert (
        diff_text(MIXED)
        == """\
incomparable: 1 document compared, 1 changed
3 fields compared in it, 1 unchanged

looser  policies/bands/refund-agent.yaml  /fields/tool_order
    exact -> any  [band/tool-order]
    any is looser than exact: a run that was refused can be accepted now

tighter  policies/bands/refund-agent.yaml  /fields/text_similarity/threshold
    0.9 -> 0.94  [band/text-threshold]
    0.94 is higher than 0.9: a run that was accepted can be refused now

approvals needed:
  policies/bands/refund-agent.yaml: agent-owner (alice) and platform-owner (pat or priya)

next: agentpolicy sign --key KEY
"""
    )


def test_loosenings_come_before_tightenings() -> None:
    text = diff_text(MIXED)
    assert text.index("/fields/tool_order") < text.index("/fields/text_similarity")


def test_explaining_says_what_a_leaf_decides_and_which_way_tightens() -> None:
    text = diff_text(MIXED, explain=True)
    assert "How closely the order of tool calls follows a reference route." in text
    assert "strict to loose: exact, same_unless_idempotent, any; absent means exact" in text
    assert "higher tightens; absent means no limit; read by: run" in text


def test_there_is_no_colour_unless_it_is_asked_for() -> None:
    assert "\x1b" not in diff_text(MIXED)
    coloured = diff_text(MIXED, colour=True)
    assert "\x1b[1m\x1b[31mlooser\x1b[0m" in coloured
    assert "\x1b[1m\x1b[32mtighter\x1b[0m" in coloured


def test_an_absent_value_is_said_to_be_absent() -> None:
    text = diff_text(view({"token_ratio": {"max": Decimal("1.4")}}, {}))
    assert "1.4 -> absent" in text
    assert "the limit 1.4 is gone: a run that was refused can be accepted now" in text


def test_no_change_still_says_how_much_was_compared() -> None:
    side = snapshot(document(BAND, {}))
    report = classify(side, side, SCHEMAS)
    assert diff_text(DiffView(report)) == "no change: 1 document compared\n"


def test_a_whole_document_is_shown_by_a_short_digest() -> None:
    new = document(BAND, {})
    text = diff_text(DiffView(classify(EMPTY, snapshot(new), SCHEMAS)))
    assert "the whole file" in text
    assert f"absent -> {new.sha256[:19]}  [document/added]" in text


def test_a_quorum_names_how_many_of_whom() -> None:
    needed = NeededApproval(BAND, "platform-owner", ("pat", "priya"), 2)
    assert "platform-owner (2 of pat, priya)" in diff_text(view({}, {}, needed))


def test_roles_without_known_people_are_named_alone() -> None:
    text = diff_text(view({}, {}, NeededApproval(BAND, "platform-owner")))
    assert f"  {BAND}: platform-owner\n" in text


def test_a_number_is_shown_as_its_file_spells_it() -> None:
    old, new = (
        read_document(BAND, f"band_version: {n}\nfields: {{latency_ms_p50: {{fail: {text}}}, "
                            f"token_ratio: {{max: {ratio}}}}}\n".encode())
        for n, text, ratio in ((1, "3.0x", "1.40"), (2, "3.50x", "1.600"))
    )  # fmt: skip
    text = diff_text(DiffView(classify(snapshot(old), snapshot(new), all_schemas())))
    assert "    3.0x -> 3.50x  [" in text
    assert "    1.40 -> 1.600  [" in text


def test_one_field_of_one_document_is_not_written_as_many() -> None:
    text = diff_text(view({"tool_order": "exact"}, {"tool_order": "any"}))
    assert "1 document compared, 1 changed\n2 fields compared in it, 1 unchanged\n" in text
