"""Measuring what a memory is worth on conversations with questions whose answers are known."""
