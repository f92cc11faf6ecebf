"""The pin: what is trusted before anything is read. It lives outside the repository.

Written as one word, so that it fits a git setting, a CI variable and a command line:
`sha256:<64 hex>;version=1;ref=refs/heads/main[;commit=<id>][;remote=<url>]`, and once history was
verified `;verified=<id>/<64 hex>`.

It only moves forward: `verified` names the newest state that was verified from the beginning,
which every later history must contain. Where trust begins stays written beside it, so that the
whole can be verified again at any time.
"""

import re
from typing import Self

from agentpolicy.base.values import dataclass, replace

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_VERIFIED = re.compile(rf"({_COMMIT.pattern})/([0-9a-f]{{64}})")


@dataclass(frozen=True, slots=True)
class Verified:
    """A commit up to which history was verified, and the state that was admitted there."""

    commit: str
    state: str
    """`Snapshot.identity` of that state, `sha256:…`: its bytes, not only their names in git."""

    def __str__(self) -> str:
        """Write it as part of a pin."""
        return f"{self.commit}/{self.state.removeprefix('sha256:')}"


@dataclass(frozen=True, slots=True)
class Pin:
    """Names the trust root by content, and where in history trust begins."""

    roles_sha256: str
    """Digest of the roles.yaml that is trusted without signatures."""
    roles_version: int
    policy_ref: str
    """Full name of the one ref whose policies are in force."""
    commit: str | None = None
    """History up to here is not judged; None: history starts with the first policy."""
    remote: str | None = None
    """The remote whose tip decides what is in force; None: the local ref."""
    verified: Verified | None = None
    """Every history must contain this commit; None: nothing was verified yet."""

    def __str__(self) -> str:
        """Write the pin as one word."""
        parts = [self.roles_sha256, f"version={self.roles_version}", f"ref={self.policy_ref}"]
        parts += [f"commit={self.commit}"] if self.commit else []
        parts += [f"remote={self.remote}"] if self.remote else []
        parts += [f"verified={self.verified}"] if self.verified else []
        return ";".join(parts)

    def raised_to(self, verified: Verified) -> "Pin":
        """Give the same pin, moved forward to a commit that was just verified."""
        return replace(self, verified=verified)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a pin back.

        Raises:
            ValueError: anything but the exact form; a half-read pin is no pin.
        """
        head, *rest = text.strip().split(";")
        fields = dict(part.partition("=")[::2] for part in rest)
        known = {"version", "ref", "commit", "remote", "verified"}
        commit = fields.get("commit")
        mark = _VERIFIED.fullmatch(fields.get("verified", ""))
        if (
            not _DIGEST.fullmatch(head)
            or len(fields) != len(rest)
            or not {"version", "ref"} <= set(fields) <= known
            or not re.fullmatch(r"[1-9][0-9]{0,8}", fields["version"])
            or not fields["ref"].startswith("refs/heads/")
            or (commit is not None and not _COMMIT.fullmatch(commit))
            or (mark is None and "verified" in fields)
        ):
            raise ValueError(f"{text!r} is not a pin")
        verified = Verified(mark[1], f"sha256:{mark[2]}") if mark else None
        version = int(fields["version"])
        return cls(head, version, fields["ref"], commit, fields.get("remote"), verified)
