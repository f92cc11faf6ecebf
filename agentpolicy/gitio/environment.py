"""The environment every git call gets: what chooses the repository stays, what bends answers goes.

A hook inherits variables that say which repository, index and quarantine it stands in, and those
must reach git. Everything else named `GIT_*` is dropped: configuration smuggled in by variable,
traces, prefixes, literal-pathspec switches, author identities.
"""

from collections.abc import Mapping

KEPT = frozenset(
    {
        "GIT_DIR",
        "GIT_COMMON_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        # pre-receive: the pushed objects live in quarantine until the hook agrees
        "GIT_QUARANTINE_PATH",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        # these choose configuration files; GIT_CONFIG_COUNT and its kin would inject values
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        # these bound the search for a repository
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    }
)
"""The `GIT_*` variables that are passed on."""

FORCED: Mapping[str, str] = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""What every call is told: objects as stored, no needless locks, no prompts, stable words."""


def git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Give git the caller's environment without what could change an answer."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in KEPT
    }
    return {**kept, **FORCED}
