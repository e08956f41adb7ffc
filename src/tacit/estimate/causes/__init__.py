"""Families of independent causes from their counts: a concave programme."""
