"""The kinds of memory: each is rules over records."""
