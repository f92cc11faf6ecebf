"""Where each kind of document lies."""

import pytest
from agentpolicy.documents.document import VERSION_KEYS, Document, DocumentKind
from agentpolicy.documents.layout import is_closed, kind_of


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("policies/roles.yaml", DocumentKind.ROLES),
        ("policies/tools.yaml", DocumentKind.TOOLS),
        ("policies/bands/refund-agent.yaml", DocumentKind.BAND),
        ("policies/budgets/meeting.yaml", DocumentKind.BUDGET),
        ("policies/baselines/refund-agent.yaml", DocumentKind.BASELINE),
        ("policies/waivers/w-1.yaml", DocumentKind.WAIVER),
        ("policies/waivers/closed/2026/w-1.yaml", DocumentKind.WAIVER),
        ("policies/baselines/a/b.yaml", None),
        ("policies/baselines/A.yaml", None),
        ("policies/baselines/a.yml", None),
        ("policies/baseline/a.yaml", None),
        ("policies/waivers/closed/26/w-1.yaml", None),
        ("policies/other.yaml", None),
        ("bands/a.yaml", None),
    ],
)
def test_the_directory_says_what_a_document_is(path: str, kind: DocumentKind | None) -> None:
    assert kind_of(path) is kind


def test_a_closed_waiver_is_known_by_its_folder() -> None:
    assert is_closed("policies/waivers/closed/2026/w-1.yaml")
    assert not is_closed("policies/waivers/w-1.yaml")
    assert not is_closed("policies/waivers/closed/2026/x/w-1.yaml")


def test_every_kind_but_a_waiver_counts_its_states() -> None:
    assert set(DocumentKind) - set(VERSION_KEYS) == {DocumentKind.WAIVER}


def test_a_baseline_knows_its_agent_and_its_version() -> None:
    tree = {"baseline_version": 4}
    baseline = Document(DocumentKind.BASELINE, "policies/baselines/a.yaml", tree, {}, b"", "")
    assert (baseline.name, baseline.owned_as, baseline.version) == ("a", "baselines/a", 4)
