"""Elidan (2004): hidden variables, and learning that escapes local maxima."""
