from agentpolicy.report.words import aligned, counted


def test_one_is_not_written_as_many() -> None:
    assert [counted(number, "run") for number in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert counted(2, "person", "people") == "2 people"


def test_a_column_of_numbers_has_as_many_places_everywhere() -> None:
    assert aligned(["0.05", "1", "0.7"]) == ("0.05", "1.00", "0.70")
    assert aligned(["3", "12"]) == ("3", "12")
    assert aligned([]) == ()
