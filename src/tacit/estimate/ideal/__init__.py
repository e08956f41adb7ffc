"""Ideal parents: what a child still misses, and how like it a candidate is."""
