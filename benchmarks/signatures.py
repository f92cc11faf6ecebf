"""What verifying approvals costs, beside the bare Ed25519 checks inside; both in one run.

Verifying means: from the bytes of an envelope to the key that signed them. The bare check has its
key loaded and its message put together before the clock starts. The approvals are those that a
repository with four documents begins with.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agentpolicy.trust.approval import APPROVAL_NAMESPACE, parse_statement
from agentpolicy.trust.envelope import open_envelope, pae, parse_envelope
from agentpolicy.trust.sshsig import parse, signed_data
from agentpolicy.trust.wire import WireReader
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from tests.policy_repo import begin

ROUNDS = 41
TIMES = 200
BAR = 1.4


def main() -> None:
    """Print medians of interleaved rounds, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        stored = begin(Path(folder) / "repo").path / "policies" / "approvals"
        approvals = [path.read_bytes() for path in sorted(stored.rglob("*.json"))]
    payloads = [parse_envelope(data).payload for data in approvals]
    sides: tuple[Sequence[Callable[[], object]], ...] = (
        [_verification(data) for data in approvals],
        [_bare_check(data) for data in approvals],
        [_reading(payload) for payload in payloads],
    )
    rounds = [[_micros(actions) for actions in sides] for _ in range(ROUNDS)]
    ours, bare, read = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(mine / theirs for mine, theirs, _ in rounds)
    print(
        f"an approval verified: {ours:.1f} µs, raw Ed25519: {bare:.1f} µs, "
        f"ratio {ratio:.2f} (bar {BAR}), median of {ROUNDS} pairs of {TIMES * len(approvals)}"
    )
    print(f"reading its statement afterwards: {read:.1f} µs")


def _verification(data: bytes) -> Callable[[], object]:
    return lambda: open_envelope(parse_envelope(data), APPROVAL_NAMESPACE)


def _reading(payload: bytes) -> Callable[[], object]:
    return lambda: parse_statement(payload)


def _bare_check(data: bytes) -> Callable[[], object]:
    """Take out of an envelope what the algorithm itself gets to see."""
    envelope = parse_envelope(data)
    signature = parse(envelope.signatures[0].sig)
    raw = WireReader(signature.rest).string()
    message = pae(envelope.payload_type, envelope.payload)
    signed = signed_data(message, APPROVAL_NAMESPACE, signature.hash_name)
    key = Ed25519PublicKey.from_public_bytes(signature.key.blob[-32:])
    return lambda: key.verify(raw, signed)


def _micros(actions: Sequence[Callable[[], object]]) -> float:
    """Give the processor time of one action, all of them in turn."""
    started = time.process_time()
    for _ in range(TIMES):
        for action in actions:
            action()
    return (time.process_time() - started) / TIMES / len(actions) * 1e6


if __name__ == "__main__":
    main()
