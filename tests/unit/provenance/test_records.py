"""Records and segments: every record in its place, one spelling, bounded size."""

import pytest
from agentpolicy.provenance.records import (
    MOST_RECORDS,
    NO_RECORDS,
    Draft,
    RecordKind,
    WriterTip,
    numbered,
    parse_segment,
    segment_bytes,
    writer_name,
    wrote,
)
from tests.verdict_log import TOKEN, signer_of

KEY = signer_of("ci").public_key
WRITER = writer_name(KEY, TOKEN)


def notes(count: int, size: int = 1) -> list[Draft]:
    return [Draft(RecordKind.ANNOTATION, {"note": "x" * size}) for _ in range(count)]


def test_a_writers_records_are_counted_and_name_the_one_before() -> None:
    first, second, third = numbered(notes(3), WRITER, NO_RECORDS)
    assert [first.seq, second.seq, third.seq] == [1, 2, 3]
    assert [first.prev, second.prev, third.prev] == [None, first.digest, second.digest]


def test_a_writer_continues_where_its_records_end() -> None:
    (first,) = numbered(notes(1), WRITER, NO_RECORDS)
    (second,) = numbered(notes(1), WRITER, WriterTip(first.seq, first.digest))
    assert (second.seq, second.prev) == (2, first.digest)


def test_a_segment_reads_back_as_it_was_written() -> None:
    records = numbered(notes(3), WRITER, NO_RECORDS)
    assert parse_segment(segment_bytes(records)) == records


def test_a_kind_this_version_does_not_know_is_read_and_kept() -> None:
    line = segment_bytes(numbered(notes(1), WRITER, NO_RECORDS)).replace(b"annotation", b"oracle")
    assert parse_segment(line)[0].kind == "oracle"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"\n", b""),
        (b"\n", b"\n\n"),
        (b"\n", b"\r\n"),
        (b'"seq":1', b'"seq":0'),
        (b'"seq":1', b'"seq":1.0'),
        (b'"seq":1', b'"seq":true'),
        (b'"prev":null', b'"prev":"sha256:0"'),
        (b'"prev":null,', b""),
        (b'"note":"x"', b'"note":"x","note":"x"'),
        (b'{"note":"x"}', b"[]"),
        (b"SHA256:", b"MD5:"),
        (b'"seq":1', b'"seq" : 1'),
    ],
)
def test_any_other_spelling_of_a_segment_is_refused(old: bytes, new: bytes) -> None:
    data = segment_bytes(numbered(notes(1), WRITER, NO_RECORDS))
    assert old in data
    with pytest.raises(ValueError, match=r"segment|record"):
        parse_segment(data.replace(old, new))


def test_a_segment_holds_one_to_a_thousand_records() -> None:
    most = numbered(notes(MOST_RECORDS), WRITER, NO_RECORDS)
    assert len(parse_segment(segment_bytes(most))) == MOST_RECORDS
    for count in (0, MOST_RECORDS + 1):
        records = numbered(notes(count), WRITER, NO_RECORDS)
        lines = b"".join(record.to_bytes() + b"\n" for record in records)
        with pytest.raises(ValueError, match="record"):
            segment_bytes(records)
        with pytest.raises(ValueError, match="record"):
            parse_segment(lines)


def test_a_segment_of_more_than_a_mebibyte_is_refused() -> None:
    records = numbered(notes(2, size=1 << 19), WRITER, NO_RECORDS)
    with pytest.raises(ValueError, match="bytes"):
        segment_bytes(records)


def test_a_writer_is_named_by_a_key_and_a_random_id() -> None:
    assert wrote(WRITER, KEY)
    assert not wrote(WRITER, signer_of("alice").public_key)
    for token in ("", "abc", "G" * 32, "0" * 65):
        with pytest.raises(ValueError, match="random id"):
            writer_name(KEY, token)
