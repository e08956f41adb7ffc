"""Learning: fits and what they keep."""
