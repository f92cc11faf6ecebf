"""Floor 1: the policy documents, and for each of their leaves the row that orders it."""
