"""Floor 4: the verdict statement, the log's records and chain, and what may be asked of them."""
