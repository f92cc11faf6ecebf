"""Commitments: digests that stand in place of values which the log does not show.

Equal commitments show equal values. Unequal ones show different values, but not how different; a
commitment beside a value shows nothing, since nobody here holds the key of an HMAC.
"""

import re

from agentpolicy.base.canonical import digest

_COMMITMENT = re.compile(r"(hmac-)?sha256:[0-9a-f]{64}")
MARK = "sha256:"
"""Part of the text of every value that holds a commitment anywhere."""


def is_commitment(value: object) -> bool:
    """Say whether a value is a sha256 or an HMAC in place of the real one."""
    return isinstance(value, str) and _COMMITMENT.fullmatch(value) is not None


def text_digest(text: str) -> str:
    """Name a text by the sha256 of its UTF-8 bytes; a commitment names itself."""
    return text if is_commitment(text) else digest(text.encode("utf-8", "surrogatepass"))
