"""Floor 0: errors, names, instants, source positions, exact numbers, canonical bytes."""
