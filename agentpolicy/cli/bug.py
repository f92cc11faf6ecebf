"""What is said and kept when agentpolicy itself fails."""

import platform
import sys
import tempfile
import traceback
from pathlib import Path

from agentpolicy import __version__


def report_bug(error: BaseException) -> str:
    """Write a report file about an unexpected error and give the words that point at it."""
    lines = [
        f"agentpolicy {__version__}, Python {platform.python_version()}, {sys.platform}",
        f"arguments: {sys.argv[1:]}",
        *traceback.format_exception(error),
    ]
    with tempfile.NamedTemporaryFile(
        "w", prefix="agentpolicy-bug-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write("\n".join(lines))
    name = Path(file.name)
    return (
        f"agentpolicy failed: {type(error).__name__}: {error}\n"
        f"Nothing was decided. A report for its maintainers lies in {name}."
    )
