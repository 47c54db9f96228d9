"""Bethink: the memory that any AI agent can be given."""

__version__ = "0.1.0"
