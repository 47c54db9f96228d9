"""Models: what turns text into vectors, answers, and tells which text fits best."""
