"""The specification of agentpolicy."""
