import sys
from pathlib import Path

from tests.repositories import make_repository, make_server

READER = """
import os, pathlib, sys
from agentpolicy.gitio.hook_input import parse_pre_receive
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import open_repository
(update,) = parse_pre_receive(sys.stdin.buffer.read())
with Objects(open_repository(pathlib.Path.cwd(), os.environ)) as objects:
    (commit,) = objects.first_parents(update.new, update.old)
    entry = objects.entry_at(commit.tree, "policies/a.yaml")
    pathlib.Path("seen").write_bytes(objects.blob(entry.oid))
sys.exit(1)
"""


def test_pushed_objects_are_read_before_they_are_accepted(tmp_path: Path) -> None:
    made, server = make_repository(tmp_path / "repo"), make_server(tmp_path / "server.git")
    made.commit_files({"policies/a.yaml": "old"})
    made.git("push", "-q", str(server.path), "main")
    script = tmp_path / "read.py"
    script.write_text(READER)
    server.hook("pre-receive", f'#!/bin/sh\nexec "{sys.executable}" -I "{script}"\n')
    pushed = made.commit_files({"policies/a.yaml": "new"})
    assert made.try_git("push", "-q", str(server.path), "main").returncode != 0
    assert (server.path / "seen").read_bytes() == b"new"
    assert server.try_git("cat-file", "-e", pushed).returncode != 0
