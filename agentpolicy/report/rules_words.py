"""How the catalogue puts a rule's facts into words, the same in every format."""

from collections.abc import Iterator, Mapping

from agentpolicy.documents.row_words import dotted
from agentpolicy.report.rules_catalogue import APPROVER, Rule
from agentpolicy.trust.approval import ApprovalRole

_PROPOSED = "any listed person proposes"
_SIGNERS: Mapping[tuple[str, ...], str] = {
    (ApprovalRole.AGENT_OWNER,): "the agent owner alone",
    (
        ApprovalRole.AGENT_OWNER,
        ApprovalRole.PLATFORM_OWNER,
    ): "the agent owner and the platform owner",
    (ApprovalRole.PROPOSER, ApprovalRole.PLATFORM_OWNER): f"{_PROPOSED}, a platform owner approves",
    (ApprovalRole.PROPOSER, ApprovalRole.REVIEWER): f"{_PROPOSED}, a reviewer approves",
    (ApprovalRole.PROPOSER, APPROVER): (
        f"{_PROPOSED}, and the role approves that the band names (of a budget or an aggregate: "
        "the platform owner)"
    ),
}


def facts(rule: Rule) -> Iterator[tuple[str, str]]:
    """Give what there is to know about a rule as pairs of a label and a sentence."""
    if rule.pointers:
        yield "stands at", ", ".join(f"{rule.place} {pointer}" for pointer in rule.pointers)
    if rule.part_of:
        yield "shown as", f"{rule.part_of}, which is compared as a whole"
    if rule.because:
        yield "class", ", ".join(rule.signatures)
        yield "because", rule.because
    else:
        yield "kind", rule.kind
    if rule.levels:
        shares = any("(" in level for level in rule.levels)
        hint = "strict first, and a higher share is stricter" if shares else "strict first"
        yield "levels", f"{', '.join(rule.levels)} ({hint})"
    for label, words in (("tighter when", rule.tighter), ("looser when", rule.looser)):
        if words:
            yield label, words
    if rule.otherwise:
        yield "otherwise", rule.otherwise
    yield from _absence(rule)
    yield "read by", rule.reader
    yield from _signatures(rule)
    if rule.source:
        yield "source", rule.source


def _absence(rule: Rule) -> Iterator[tuple[str, str]]:
    if rule.absent and rule.required:
        whole = dotted(rule.pointers[0].rpartition("/")[0])
        yield "absent", f"{rule.absent} if `{whole}` is absent as a whole; else refused"
    elif rule.absent:
        yield "absent", rule.absent
    elif rule.required:
        yield "absent", "refused: it must be written"


def _signatures(rule: Rule) -> Iterator[tuple[str, str]]:
    """Say who signs what, the changes that need the same people in one line."""
    together: dict[tuple[str, ...], list[str]] = {}
    for effect, signers in rule.signatures.items():
        together.setdefault(signers, []).append(effect)
    for signers, effects in together.items():
        label = "signed by" if len(together) == 1 else f"if {' or '.join(effects)}"
        yield label, _SIGNERS[signers]
