import pytest
from agentpolicy.gitio.pathspec import is_below, pathspecs, worktree_pathspecs


@pytest.mark.parametrize("path", ["policies", "policies/a", "Policies/a", "policie\u017f/a/b"])
def test_every_spelling_of_the_prefix_is_below_it(path: str) -> None:
    assert is_below(path, ["policies"])


@pytest.mark.parametrize("path", ["policies2/a", "polici", "a/policies/b", ""])
def test_a_prefix_ends_with_its_component(path: str) -> None:
    assert not is_below(path, ["policies"])


def test_without_prefixes_every_path_is_below() -> None:
    assert is_below("anything", [])
    assert pathspecs([]) == []


def test_a_prefix_that_is_not_ascii_is_not_left_to_git() -> None:
    assert pathspecs(["policies", "\u017ftrict"]) == []


def test_a_twin_at_the_top_of_the_work_tree_is_asked_for_by_name() -> None:
    asked = worktree_pathspecs(["policies"], ["policies", "policie\u017f", "\u00fcber"])
    assert asked == [b":(icase,literal)policies", b":(literal)policie\xc5\xbf"]
