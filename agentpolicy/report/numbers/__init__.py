"""Numbers to sign, told: what was measured, what follows, and the change that is proposed."""
