"""Floor 2: who signed what, and what the trust root lets them sign."""
