"""The commands that refusals end with: whole, so that they can be typed as they stand."""

from agentpolicy.admission.counting import PROPOSING
from agentpolicy.trust.approval import ApprovalRole

INIT = "agentpolicy init --person NAME=KEY.pub --platform-owner NAME"


def sign_command(path: str = "") -> str:
    """Give the command that signs one's own change, of one document or of all that changed."""
    return f"agentpolicy sign{_named(path)} --key KEY"


def approve_command(role: str, path: str = "") -> str:
    """Give the command that approves somebody else's change in a role."""
    return f'agentpolicy approve{_named(path)} --role {role} --key KEY --reason "…"'


def signing_command(role: ApprovalRole, path: str = "") -> str:
    """Give the command by which a role's signature is given."""
    return sign_command(path) if role in PROPOSING else approve_command(str(role), path)


def _named(path: str) -> str:
    return f" {path}" if path else ""
