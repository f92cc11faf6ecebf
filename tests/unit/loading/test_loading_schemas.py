"""The schemas the reader uses: the package's own."""

import pytest
from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.rows import Kind
from agentpolicy.loading.schemas import all_schemas, parts_at, rows_of, schema_of


@pytest.mark.parametrize("kind", list(DocumentKind))
def test_every_kind_of_document_has_a_schema_that_is_closed(kind: DocumentKind) -> None:
    schema = schema_of(kind)
    assert schema["additionalProperties"] is False
    assert all_schemas()[kind] is schema


@pytest.mark.parametrize("kind", list(DocumentKind))
def test_every_kind_of_document_has_rows(kind: DocumentKind) -> None:
    assert rows_of(kind)


def test_a_row_is_found_by_the_pointer_of_its_leaf() -> None:
    assert rows_of(DocumentKind.BAND)["/fields/text_similarity/threshold"].kind is Kind.MIN_LIMIT
    assert rows_of(DocumentKind.TOOLS)["/tools/*/effect"].kind is Kind.CHAIN


def test_a_schema_is_followed_through_keys_names_indices_and_choices() -> None:
    band = schema_of(DocumentKind.BAND)
    (threshold,) = parts_at(band, ("fields", "text_similarity", "threshold"))
    assert threshold["maximum"] == 1
    (item,) = parts_at(band, ("fields", "required_keys", "0"))
    assert item["type"] == "string"
    assert len(parts_at(band, ("fields", "required_keys"))) == 2
    (effect,) = parts_at(schema_of(DocumentKind.TOOLS), ("tools", "mail.reply", "effect"))
    assert "read" in effect["enum"]


def test_a_place_the_schema_does_not_know_has_no_parts() -> None:
    assert parts_at(schema_of(DocumentKind.BAND), ("fields", "nothing")) == ()
