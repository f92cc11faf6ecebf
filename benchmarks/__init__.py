"""Whole commands, both sides in one run; never timed tests."""
