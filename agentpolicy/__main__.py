"""`python -m agentpolicy`, which is how hooks call it without trusting the PATH."""

from agentpolicy.cli.entry import main

if __name__ == "__main__":
    main()
