from decimal import Decimal

import pytest
from agentpolicy.documents.document import Value
from agentpolicy.documents.rows import Kind, Reader, Row
from agentpolicy.order.compare import compare
from agentpolicy.order.explain import why


def sentence(row: Row, old: Value | None, new: Value | None) -> str:
    return why(row, old, new, compare(row, old, new))


def row(kind: Kind, reader: Reader = Reader.RUN, absent: str | None = None) -> Row:
    chain = ("exact", "alike()", "any") if kind is Kind.CHAIN else ()
    return Row("test/leaf", kind, reader, "A leaf.", absent=absent, chain=chain)


HIGH, LOW = Decimal("0.94"), Decimal("0.90")


@pytest.mark.parametrize(
    ("leaf", "old", "new", "words"),
    [
        (row(Kind.MIN_LIMIT), HIGH, LOW, "0.9 is lower than 0.94: a run that was refused can be"),
        (row(Kind.MIN_LIMIT), LOW, HIGH, "0.94 is higher than 0.9: a run that was accepted can be"),
        (row(Kind.MAX_LIMIT), HIGH, LOW, "0.9 is lower than 0.94: a run that was accepted can be"),
        (row(Kind.MAX_LIMIT), LOW, HIGH, "0.94 is higher than 0.9: a run that was refused can be"),
        (row(Kind.MAX_LIMIT), HIGH, None, "the limit 0.94 is gone: a run that was refused"),
        (row(Kind.MAX_LIMIT), None, HIGH, "0.94 is a limit where there was none: a run that was"),
        (row(Kind.MAX_LIMIT, absent="30"), 14, None, "30 (which absence stands for) is higher"),
        (row(Kind.CHAIN), "exact", "any", "any is looser than exact: a run that was refused"),
        (row(Kind.CHAIN), "any", "exact", "exact is stricter than any: a run that was accepted"),
        (row(Kind.SUBSET_OF), ("a",), ("a", "b"), "now allows b: a run that was refused"),
        (row(Kind.SUBSET_OF), ("a", "b"), ("a",), "no longer allows b: a run that was accepted"),
        (row(Kind.SUBSET_OF), ("a",), ("b",), "now allows b and no longer allows a: what one"),
        (row(Kind.SUPERSET_OF), None, ("a", "b"), "now requires a, b: a run that was accepted"),
        (row(Kind.SUPERSET_OF), ("a",), None, "no longer requires a: a run that was refused"),
        (row(Kind.SUPERSET_OF), "exact", ("a",), 'exact and ["a"] do not contain each other'),
        (
            row(Kind.SUPERSET_OF, absent='["a"]'),
            None,
            ("a", "b"),
            "now requires b: a run that was accepted",
        ),
        (
            row(Kind.SUPERSET_OF),
            ({"contains": "x"},),
            ({"contains": "x"}, {"absent": "y"}),
            'now requires absent: "y": a run that was accepted',
        ),
        (
            row(Kind.SUBSET_OF, absent="any"),
            None,
            ("a", "b"),
            "only a, b of all are still allowed: a run that was accepted",
        ),
        (row(Kind.SUBSET_OF, absent="any"), None, (), "only none of all are still allowed"),
        (
            row(Kind.SUBSET_OF, absent="any"),
            ("a",),
            None,
            "all are allowed again where only a were: a run that was refused",
        ),
        (
            row(Kind.CHAIN),
            "alike(0.90)",
            "alike(0.8)",
            "alike(0.8) is looser than alike(0.9): a run that was refused",
        ),
        (
            row(Kind.ADDITIONS),
            None,
            ({"id": "f"}, {"id": "g", "why": "x"}),
            'now accepts id: "f", {"id": "g", "why": "x"}: a run that was refused',
        ),
        (row(Kind.ADDITIONS), ({"id": "f"},), None, "entries were taken out or altered"),
        (row(Kind.OPAQUE), "x", "y", "not ordered: any change of it can accept"),
        (
            row(Kind.OPAQUE, Reader.FLAG),
            "x",
            "y",
            "not ordered: after any change of it reports no longer carry a note",
        ),
        (row(Kind.ROOT), "x", "y", "part of the trust root"),
        (row(Kind.RECORD), "x", "y", "a record: no verdict reads it"),
        (row(Kind.VERSION), 1, 2, "counts the states of the document"),
        (row(Kind.OPAQUE, absent="x"), None, "x", "the same rule, written out or left to its"),
        (row(Kind.CHAIN), "exact", "vague", "exact and vague cannot both be placed: nobody can"),
    ],
)
def test_a_sentence_names_both_values_and_what_follows(
    leaf: Row, old: Value | None, new: Value | None, words: str
) -> None:
    assert sentence(leaf, old, new).startswith(words)


@pytest.mark.parametrize(
    ("reader", "tighter", "looser"),
    [
        (Reader.RUN, "a run that was accepted can be refused", "a run that was refused can be"),
        (Reader.RELEASE, "a set of runs that was accepted", "a set of runs that was refused"),
        (Reader.ROUTE, "more review", "less review"),
        (Reader.FLAG, "carry a note where they did not", "no longer carry a note"),
        (Reader.WAIVER, "a waiver that was allowed", "a waiver that was refused"),
        (Reader.GUARD, "stops a run sooner", "go on for longer"),
        (Reader.ADMISSION, "a change that could land", "a change that was refused"),
    ],
)
def test_the_consequence_is_that_of_whoever_reads_the_leaf(
    reader: Reader, tighter: str, looser: str
) -> None:
    leaf = row(Kind.MAX_LIMIT, reader)
    assert tighter in sentence(leaf, 2, 1)
    assert looser in sentence(leaf, 1, 2)
