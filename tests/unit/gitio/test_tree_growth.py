"""Reading a tree beside another gives exactly what reading it alone gives, refusals too."""

from collections.abc import Mapping

import pytest
from agentpolicy.gitio.tree_growth import grown, read_tree
from hypothesis import given
from hypothesis import strategies as st

MODES = ("100644", "100755", "40000", "120000", "160000")
NAMES = st.text("ab.-é/0", min_size=1, max_size=6).filter(lambda name: "/" not in name)
ENTRIES = st.dictionaries(
    NAMES.filter(lambda name: name not in {".", ".."}),
    st.tuples(st.sampled_from(MODES), st.binary(min_size=20, max_size=20)),
    max_size=30,
)


def written(entries: Mapping[str, tuple[str, bytes]]) -> bytes:
    def place(name: str) -> bytes:
        return name.encode() + (b"/" if entries[name][0] == "40000" else b"")

    return b"".join(
        entries[name][0].encode() + b" " + name.encode() + b"\0" + entries[name][1]
        for name in sorted(entries, key=place)
    )


@given(ENTRIES, ENTRIES)
def test_a_tree_read_beside_another_is_the_tree_read_alone(
    one: Mapping[str, tuple[str, bytes]], changes: Mapping[str, tuple[str, bytes]]
) -> None:
    other = {**one, **changes}
    for old, new in ((one, other), (other, one), (one, changes)):
        before = read_tree(written(old), "sha1")
        alone = read_tree(written(new), "sha1")
        tree, difference = grown(before, written(new), "sha1")
        assert tree == alone
        was = {entry.name: entry for entry in before.entries}
        now = {entry.name: entry for entry in alone.entries}
        expected = {
            name: (was.get(name), now.get(name))
            for name in {*was, *now}
            if was.get(name) != now.get(name)
        }
        assert difference == expected
        assert {name: tree.entry(name) for name in {*was, *now}} == {**dict.fromkeys(was), **now}


@given(ENTRIES, st.integers(0, 600), st.binary(max_size=12), st.integers(0, 12))
def test_a_damaged_tree_is_refused_beside_another_as_it_is_alone(
    entries: Mapping[str, tuple[str, bytes]], at: int, put: bytes, cut: int
) -> None:
    good = written(entries)
    bad = good[:at] + put + good[at + cut :]
    try:
        alone = read_tree(bad, "sha1")
    except ValueError:
        with pytest.raises(ValueError, match="tree"):
            grown(read_tree(good, "sha1"), bad, "sha1")
    else:
        assert grown(read_tree(good, "sha1"), bad, "sha1")[0] == alone
