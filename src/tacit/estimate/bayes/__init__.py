"""Whole posteriors of the parameters under rules: exact where constants exist, else by draws."""
