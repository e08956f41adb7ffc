"""Fits with local structure: tree tables and default tables."""
