"""What keeps a careful person from approving here at all: the wrong clone, or unread evidence."""

from collections.abc import Collection, Iterator
from pathlib import Path

from agentpolicy.base.errors import Problem
from agentpolicy.gitio.repository import Repository, text_of
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.workflows.evidence_at_hand import unread
from agentpolicy.workflows.proposal import Proposal


def cannot_vouch(
    repository: Repository,
    proposal: Proposal,
    wanted: Collection[str],
    role: ApprovalRole,
    evidence: Collection[Path],
) -> Iterator[Problem]:
    """Say why nothing should be approved here.

    A trust root that names a url is approved for only in clones of it. A digest says nothing to
    its signer, so what it stands for must be there to be read.
    """
    url = proposal.before.url
    if url is not None and _plain(url) not in {_plain(one) for one in _remotes(repository)}:
        words = f"the trust root belongs to {url}, and no remote here is that"
        yield Problem("elsewhere", words, f"git clone {url}")
    asked = {need.document for need in proposal.requirements if need.role is role}
    for change in proposal.report.documents:
        if change.path in asked & frozenset(wanted):
            yield from unread(repository, proposal, change, evidence)


def _remotes(repository: Repository) -> Iterator[str]:
    """Give the urls that are configured, and those that git makes of them."""
    code, out = repository.try_run("config", "-z", "--get-regexp", r"^remote\..*\.url$")
    for line in out.split(b"\0")[:-1] if code == 0 else ():
        yield text_of(line.partition(b"\n")[2])
    for shown in text_of(repository.run("remote", "-v")).splitlines():
        yield shown.partition("\t")[2].rpartition(" ")[0]


def _plain(url: str) -> str:
    return url.rstrip("/").removesuffix(".git")
