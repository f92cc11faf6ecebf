"""Which paths lie at or below a prefix when case is folded, in git's words and in ours.

On a file system that folds case `Policies/roles.yaml` is `policies/roles.yaml`, so twins must be
seen to be refused. Git folds ASCII only; the long s of `policie\u017f` is one of the rest.
"""

from collections.abc import Iterable, Sequence

_NON_ASCII = b"*[\x80-\xff]*"


def is_below(path: str, prefixes: Sequence[str]) -> bool:
    """Say whether a path is, or is below, one of the prefixes; without any, every path is."""
    folded = path.casefold()
    for prefix in prefixes:
        name = prefix.rstrip("/").casefold()
        if folded == name or folded.startswith(name + "/"):
            return True
    return not prefixes


def pathspecs(prefixes: Sequence[str]) -> list[bytes]:
    """Give pathspecs that match at least what `is_below` accepts, so that git can drop the rest."""
    if not prefixes or not all(prefix.isascii() for prefix in prefixes):
        return []
    return [_ignoring_case(prefix) for prefix in prefixes] + [_NON_ASCII]


def worktree_pathspecs(prefixes: Sequence[str], names: Iterable[str]) -> list[bytes]:
    """Give the same for files not yet tracked, from the names at the top of the work tree.

    A wildcard would not do: under one, git passes over untracked repositories without a word.
    """
    if not prefixes or not all(prefix.isascii() for prefix in prefixes):
        return []
    tops = {prefix.split("/")[0].casefold() for prefix in prefixes}
    twins = [name for name in names if not name.isascii() and name.casefold() in tops]
    return [_ignoring_case(prefix) for prefix in prefixes] + [
        b":(literal)" + twin.encode("utf-8", "surrogateescape") for twin in sorted(twins)
    ]


def _ignoring_case(prefix: str) -> bytes:
    return b":(icase,literal)" + prefix.rstrip("/").encode("ascii")
