"""Fits with families of independent causes: noisy-or and its relatives."""
