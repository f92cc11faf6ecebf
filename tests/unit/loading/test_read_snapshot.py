"""Everything governed at one point: nothing is ever dropped."""

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from agentpolicy.documents.document import Snapshot
from agentpolicy.loading import snapshot as snapshot_module
from agentpolicy.loading.snapshot import MAX_APPROVAL_BYTES, PolicyFile, ReadCache, read_snapshot
from tests.written import BAND, BAND_PATH, TOOLS, TOOLS_PATH

HEX = "ab" + "0" * 62
APPROVAL_PATH = f"policies/approvals/ab/{HEX}.json"


def regular(path: str, text: str | bytes = "") -> PolicyFile:
    return PolicyFile(path, "100644", text.encode() if isinstance(text, str) else text)


def codes(found: Snapshot) -> Mapping[str, list[str]]:
    for path, problems in found.unreadable.items():
        assert all(problem.hint and problem.message.isprintable() for problem in problems), path
    return {
        path: [problem.code for problem in problems] for path, problems in found.unreadable.items()
    }


def test_documents_approvals_and_guarded_files_are_told_apart() -> None:
    files = [regular(BAND_PATH, BAND), regular(TOOLS_PATH, TOOLS), regular(APPROVAL_PATH, "{}")]
    found = read_snapshot(files, {".github/workflows/x.yml": b"on: push\n"})
    assert set(found.documents) == {BAND_PATH, TOOLS_PATH}
    assert found.approvals == {APPROVAL_PATH: b"{}"}
    assert set(found.digests) == {BAND_PATH, TOOLS_PATH}
    assert found.digests[BAND_PATH] == f"sha256:{hashlib.sha256(BAND.encode()).hexdigest()}"
    assert set(found.guarded) == {".github/workflows/x.yml"}
    assert not found.unreadable


def test_an_executable_document_is_read() -> None:
    assert read_snapshot([PolicyFile(TOOLS_PATH, "100755", TOOLS.encode())]).documents


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (PolicyFile(BAND_PATH, "120000", BAND.encode()), ["symlink"]),
        (PolicyFile("policies/bands", "120000", b"../elsewhere"), ["symlink"]),
        (PolicyFile("policies", "120000", b"elsewhere"), ["symlink"]),
        (PolicyFile("policies/bands", "160000", b""), ["submodule"]),
        (PolicyFile("policies", "160000", b""), ["submodule"]),
        (PolicyFile(BAND_PATH, "040000", b""), ["unknown-mode"]),
        (PolicyFile(APPROVAL_PATH, "120000", b"x"), ["symlink"]),
        (regular("policies/bands/caf\u00e9.yaml", BAND), ["unusual-path"]),
        (regular("policies/bands/\u0430.yaml", BAND), ["unusual-path"]),
        (regular("policies/bands/a\tb.yaml", BAND), ["unusual-path"]),
        (regular("policies/bands/a\nb.yaml", BAND), ["unusual-path"]),
        (regular("policies/bands/a b.yaml", BAND), ["unusual-path"]),
        (regular("policies/bands/a\udcff.yaml", BAND), ["unusual-path"]),
        (regular("policies/bands/a\u200b.yaml", BAND), ["unusual-path"]),
        (regular("policies/README.md", "hello"), ["unknown-file"]),
        (regular("policies/.gitkeep"), ["unknown-file"]),
        (regular("Policies/bands/a.yaml", BAND), ["unknown-file"]),
        (regular("policies/bands/A.yaml", BAND), ["unknown-file"]),
        (regular("policies/bands/a.yml", BAND), ["wrong-suffix"]),
        (regular("policies", "x"), ["unknown-file"]),
        (regular(f"policies/approvals/{HEX}.json", "{}"), ["misplaced-approval"]),
        (regular(f"policies/approvals/cd/{HEX}.json", "{}"), ["misplaced-approval"]),
        (regular("policies/approvals/x.txt", "{}"), ["misplaced-approval"]),
        (regular(APPROVAL_PATH, b"x" * (MAX_APPROVAL_BYTES + 1)), ["approval-too-large"]),
        (regular(BAND_PATH, "band_version: yes\n"), ["missing-key", "ambiguous-boolean"]),
    ],
)
def test_what_cannot_be_read_is_kept_with_the_reason(file: PolicyFile, expected: list[str]) -> None:
    found = read_snapshot([file])
    assert codes(found) == {file.path: expected}
    assert not found.documents
    assert not found.approvals


def test_an_approval_of_the_largest_size_is_kept() -> None:
    assert read_snapshot([regular(APPROVAL_PATH, b"x" * MAX_APPROVAL_BYTES)]).approvals


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("policies/bands/a.yaml", "policies/bands/A.yaml"),
        ("policies/bands/a.yaml", "policies/Bands/a.yaml"),
        ("policies/tools.yaml", "POLICIES/tools.yaml"),
        ("policies/bands/caf\u00e9.yaml", "policies/bands/cafe\u0301.yaml"),
        ("policies/bands/stra\u00dfe.yaml", "policies/bands/STRASSE.yaml"),
    ],
)
def test_names_that_are_one_on_some_file_systems_are_both_refused(one: str, other: str) -> None:
    found = read_snapshot([regular(one, BAND), regular(other, BAND)])
    assert all("name-collision" in problems for problems in codes(found).values())
    assert set(codes(found)) == {one, other}


def test_every_file_is_accounted_for() -> None:
    files = [
        regular(BAND_PATH, BAND), regular("policies/x", "y"), regular(APPROVAL_PATH, "{}"),
        PolicyFile("policies/link", "120000", b"x"),
    ]  # fmt: skip
    found = read_snapshot(files)
    assert {*found.documents, *found.unreadable, *found.approvals} == {f.path for f in files}


def test_unchanged_bytes_at_an_unchanged_path_are_parsed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = ReadCache()
    files = [regular(BAND_PATH, BAND), regular(TOOLS_PATH, "tools_version: 1\n")]
    first = read_snapshot(files, cache=cache)
    monkeypatch.setattr(snapshot_module, "read_document", None)
    again = read_snapshot(files, cache=cache)
    assert again.documents[BAND_PATH] is first.documents[BAND_PATH]
    assert again.unreadable == first.unreadable


def test_the_same_bytes_at_another_path_are_another_document() -> None:
    cache = ReadCache()
    other = "policies/bands/other.yaml"
    read_snapshot([regular(BAND_PATH, BAND)], cache=cache)
    found = read_snapshot([regular(other, BAND)], cache=cache)
    assert found.documents[other].name == "other"


def test_a_repository_with_every_trick_is_read_from_git_without_losing_one(tmp_path: Path) -> None:
    def git(*arguments: str, data: bytes = b"") -> bytes:
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *arguments], input=data, capture_output=True, check=True
        )
        return done.stdout

    git("init", "-q")
    oid = git("hash-object", "-w", "--stdin", data=BAND.encode()).decode().strip()
    entries = {
        b"policies/bands/a.yaml": "100644",
        b"policies/bands/A.yaml": "100644",
        b"policies/bands/b\t.yaml": "100644",
        b"policies/bands/\xff.yaml": "100644",
        b"policies/link": "120000",
    }
    lines = b"".join(f"{mode} {oid}\t".encode() + name + b"\0" for name, mode in entries.items())
    git("update-index", "-z", "--index-info", data=lines)
    listed = git("ls-files", "-s", "-z").split(b"\0")[:-1]
    files = []
    for line in listed:
        head, name = line.split(b"\t", 1)
        path = name.decode("utf-8", "surrogateescape")
        files.append(PolicyFile(path, head.split()[0].decode(), BAND.encode()))
    assert set(codes(read_snapshot(files))) == {
        name.decode("utf-8", "surrogateescape") for name in entries
    }
