"""Floor 5: typed results as text, JSON and pages. Pure: nothing here reads or writes."""
