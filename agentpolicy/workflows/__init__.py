"""Floor 7: the use cases; the only place where the pure core and effects meet."""
