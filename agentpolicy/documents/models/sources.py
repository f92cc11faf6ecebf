"""Where rules come from: the titles of the texts that ask for them."""

TOLERANCE_BAND = "Setting the Tolerance Band for an Agent Equivalence Rule"
RUN_BUDGET = "A run that succeeds expensively passes only against a budget"
BEHAVIOUR_DIFF = "Diffing Two Subagent Instructions by Behavior"
COMPARABILITY = "Run comparability"
