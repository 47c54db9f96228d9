"""A user's records as arrays, held in memory: what a search computes with."""
