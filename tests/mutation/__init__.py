"""Does a test notice when the code is bent? Run by `make mutate`, never by `make test`."""
