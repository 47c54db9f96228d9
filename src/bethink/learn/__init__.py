"""What is worth keeping of what was said, found without asking a model."""
