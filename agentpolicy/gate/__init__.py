"""Floor 3: do these runs pass? Pure functions of a policy, evidence and an instant."""
