"""Takes in an approval that somebody sent as a file: believed for its signature alone."""

from pathlib import Path

from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.layout import approval_path, withdrawal_path
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.snapshot import MAX_APPROVAL_BYTES
from agentpolicy.trust.approval import parse_statement
from agentpolicy.trust.envelope import parse_envelope
from agentpolicy.workflows.desk import Signed, asked_for, lying_beside, strays, unmet
from agentpolicy.workflows.kept import changes
from agentpolicy.workflows.proposal import Proposal, proposal_in_worktree
from agentpolicy.workflows.sign import staged
from agentpolicy.workflows.signing import SigningResult


def import_bundle(repository: Repository, bundle: Path, at: Instant) -> SigningResult:
    """Stage the approval in a file, if it counts for exactly what lies in the work tree.

    Raises:
        InputError: the file holds no approval, or a document cannot be read.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    path, data = _read(bundle)
    proposal = proposal_in_worktree(repository, at)
    before = proposal.head.approvals
    after = proposal.with_approvals({**before, path: data})
    found = next((one for one in lying_beside(after, at) if one.path == path), None)
    if found is None:
        words = "this approval has landed already"
        return _refused(proposal, Problem("approval-landed", words, "git log -- " + path))
    statement = found.statement
    if found.void_because or statement is None or not asked_for(found, after):
        why = found.void_because or "nothing in the change at hand asks for it"
        words = f"this approval does not count for what lies here: {why}"
        hint = "git checkout the bytes that were approved, or ask for an approval of these"
        return _refused(proposal, Problem("approval-unused", words, hint))
    stray = strays(after, lying_beside(after, at))
    gone = {one.path for one in stray}
    kept = {name: held for name, held in after.head.approvals.items() if name not in gone}
    after = after.with_approvals(kept)
    signed = Signed(statement.person, statement.role, tuple(sorted(found.documents)), path)
    given = SigningResult(
        proposal,
        statement.person,
        (signed,),
        cleared=stray,
        missing=unmet(after, lying_beside(after, at)),
        changed=changes(proposal.head, after.head),
    )
    return staged(repository, given)


def _read(bundle: Path) -> tuple[str, bytes]:
    """Read the file, and name it as the approval it says it is; nothing is believed of it yet."""
    hint = "ask for the file that `agentpolicy approve --bundle FILE` wrote"
    try:
        with bundle.open("rb") as file:
            # one byte too many is cut off, so that it cannot be read
            data = file.read(MAX_APPROVAL_BYTES)
        payload = parse_envelope(data).payload
        statement = parse_statement(payload)
    except OSError as error:
        words = f"it cannot be read: {error.strerror}"
        raise InputError(Problem("file-unreadable", words, hint, str(bundle))) from error
    except ValueError as error:
        words = f"it is no approval: {error}"
        raise InputError(Problem("not-an-approval", words, hint, str(bundle))) from error
    if statement.withdrawn is not None:
        return withdrawal_path(statement.person, statement.withdrawn), data
    return approval_path(digest(payload)), data


def _refused(proposal: Proposal, problem: Problem) -> SigningResult:
    return SigningResult(proposal, "", problems=(problem,))
