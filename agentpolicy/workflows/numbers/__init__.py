"""Numbers to sign: use cases that measure, propose a change, and never apply it."""
