"""The guided run: four promises, each kept by the real command line in a scratch repository."""
