"""agentpolicy: rules for AI agents as signed YAML in git, with git enforcing them."""

__version__ = "0.1.0"

RULE_SET = "1"
"""The version of the judging and strictness rules; approvals and verdicts name it."""
