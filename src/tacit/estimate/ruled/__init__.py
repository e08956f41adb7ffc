"""Estimates under rules: blocks, closed forms, and the general solver."""
