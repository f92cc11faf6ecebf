"""Real git repositories to test in, untouched by the settings of the machine they run on."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentpolicy.gitio.repository import Repository, open_repository

AUTHOR = "Test Author"
EMAIL = "author@example.invalid"
INSTANT = "1767225600 +0000"


def clean_environment(home: Path) -> dict[str, str]:
    """Give an environment where no configuration but the repository's own is read."""
    return {
        "PATH": os.environ.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": AUTHOR,
        "GIT_AUTHOR_EMAIL": EMAIL,
        "GIT_AUTHOR_DATE": INSTANT,
        "GIT_COMMITTER_NAME": AUTHOR,
        "GIT_COMMITTER_EMAIL": EMAIL,
        "GIT_COMMITTER_DATE": INSTANT,
        "GIT_TERMINAL_PROMPT": "0",
    }


@dataclass(frozen=True)
class GitRepository:
    """A repository on disk: a work tree, or a bare one."""

    path: Path
    environ: Mapping[str, str] = field(repr=False)

    def try_git(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git here and give everything about how it went."""
        return subprocess.run(
            ["git", *args],
            cwd=self.path,
            env={**self.environ, **(env or {})},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def git(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Run git here, insist that it succeeds, and give what it wrote without the line end."""
        done = self.try_git(*args, stdin=stdin, env=env)
        assert done.returncode == 0, (args, done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the work tree, folders and all."""
        place = self.path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def stage(self, path: str, content: str | bytes) -> None:
        """Write a file and stage it."""
        self.write(path, content)
        self.git("add", "-f", "--", path)

    def commit(self, message: str = "change", *args: str) -> str:
        """Commit what is staged, hooks included, and give the commit's id."""
        self.git("commit", "-q", "--allow-empty", "-m", message, *args)
        return self.oid("HEAD")

    def commit_files(self, files: Mapping[str, str | bytes], message: str = "change") -> str:
        """Write, stage and commit files, and give the commit's id."""
        for path, content in files.items():
            self.stage(path, content)
        return self.commit(message)

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and check it out."""
        self.git("checkout", "-q", "-b", name, start)

    def oid(self, revision: str) -> str:
        """Give the full id a revision names."""
        return self.git("rev-parse", "--verify", revision)

    def hook(self, name: str, script: str, mode: int = 0o755) -> Path:
        """Write a hook by hand."""
        common = self.git("rev-parse", "--path-format=absolute", "--git-common-dir")
        place = Path(common) / "hooks" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(script)
        place.chmod(mode)
        return place

    def open(self) -> Repository:
        """Open this repository as the program does."""
        return open_repository(self.path, self.environ)


def make_repository(
    path: Path, *, object_format: str = "sha1", environ: Mapping[str, str] | None = None
) -> GitRepository:
    """Make an empty repository on branch `main`."""
    path.mkdir(parents=True, exist_ok=True)
    repository = GitRepository(path, environ or clean_environment(path.parent))
    repository.git("init", "-q", "-b", "main", f"--object-format={object_format}")
    return repository


def make_server(path: Path, *, environ: Mapping[str, str] | None = None) -> GitRepository:
    """Make an empty bare repository to push to, whose HEAD is `main`."""
    path.mkdir(parents=True, exist_ok=True)
    server = GitRepository(path, environ or clean_environment(path.parent))
    server.git("init", "-q", "--bare", "-b", "main")
    return server


def clone(source: GitRepository, path: Path, *args: str) -> GitRepository:
    """Clone a repository by its URL, so that `--depth` is obeyed."""
    source.git("clone", "-q", *args, source.path.as_uri(), str(path))
    return GitRepository(path, source.environ)


def linked_worktree(repository: GitRepository, path: Path, branch: str) -> GitRepository:
    """Make a linked work tree on a new branch."""
    repository.git("worktree", "add", "-q", "-b", branch, str(path))
    return GitRepository(path, repository.environ)
