"""A derived file in the git directory, which anybody there may write, decides nothing."""

from pathlib import Path

import pytest
from agentpolicy.gitio.read_memory import ReadMemory
from agentpolicy.loading.reading_digest import reading_digest
from tests.policy_repo import BAND_PATH, begin, green_run, write_runs


@pytest.mark.attack("C14", "check", "commit", "gate")
def test_c14_what_decides_never_reads_the_memory(tmp_path: Path) -> None:
    signed = begin(tmp_path / "signed")
    before = signed.head
    signed.edit(BAND_PATH, "band_version: 1", "band_version: yes")
    signed.sneak("unreadable")
    memory = ReadMemory(signed.repo.open(), reading_digest())
    memory.note(BAND_PATH, signed.repo.oid(f"HEAD:{BAND_PATH}"))
    memory.keep()
    checked = signed.check(before, signed.head)
    assert checked.code == 2, checked
    assert "ambiguous-boolean" in checked.said
    assert signed.run("verify-history").code != 0
    runs = write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    assert signed.gate(runs).code == 3
    signed.repo.git("reset", "-q", "--soft", before)
    assert signed.repo.try_git("commit", "-q", "-m", "unreadable").returncode != 0
