"""Floor 8: the command line. One file a command: parse, one workflow, render, exit code."""
