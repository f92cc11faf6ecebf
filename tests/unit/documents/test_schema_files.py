"""The shipped schemas are what the models give, and the models refuse a leaf without a row."""

from typing import Annotated

import pytest
from agentpolicy.documents.models.leaf import Number, PolicyModel, max_limit
from agentpolicy.documents.rows import Reader, Row
from agentpolicy.loading.document import read_document
from agentpolicy.loading.schemas import all_schemas, rows_of
from agentpolicy.workflows.generate import SCHEMAS, schema_files
from tests.policy_repo import BAND, BAND_PATH, BUDGET, BUDGET_PATH


def test_the_shipped_schemas_are_fresh() -> None:
    found = SCHEMAS.rglob("*.schema.json")
    shipped = {path.relative_to(SCHEMAS).as_posix(): path.read_text() for path in found}
    assert shipped == schema_files(), "run `make schemas`"


def test_every_schema_is_draft_07_which_editors_read() -> None:
    for text in schema_files().values():
        assert "http://json-schema.org/draft-07/schema#" in text


@pytest.mark.parametrize(("path", "text"), [(BAND_PATH, BAND), (BUDGET_PATH, BUDGET)])
def test_the_blocks_printed_in_the_sources_are_valid_as_they_stand(path: str, text: str) -> None:
    assert read_document(path, text.encode()).version in {1, 7}


def test_a_leaf_without_an_order_row_does_not_import() -> None:
    with pytest.raises(TypeError, match="limit needs exactly one order row"):

        class Unordered(PolicyModel):
            limit: Number


def test_a_leaf_with_two_order_rows_does_not_import() -> None:
    row = max_limit("test/limit", Reader.RUN, "A limit.")
    with pytest.raises(TypeError, match="limit needs exactly one order row"):

        class Ambiguous(PolicyModel):
            limit: Annotated[Number, row, row]


def test_rule_ids_are_unique_within_and_across_documents() -> None:
    rows = [row for kind in all_schemas() for row in rows_of(kind).values()]
    by_id: dict[str, Row] = {}
    for row in rows:
        assert by_id.setdefault(row.rule, row) == row, f"{row.rule} names two rules"


def test_a_row_survives_the_schema_it_travels_in() -> None:
    for kind in all_schemas():
        for row in rows_of(kind).values():
            assert Row.from_json(row.as_json()) == row
