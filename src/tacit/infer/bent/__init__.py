"""Answers around curves: exact where values make them straight, else by weighted draws."""
