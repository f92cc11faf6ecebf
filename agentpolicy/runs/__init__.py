"""Floor 2: recorded evidence of agent runs, and how unknown values compare."""
