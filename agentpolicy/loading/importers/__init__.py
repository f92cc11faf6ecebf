"""One importer a format: run logs as people have them, become run records."""
