"""Local structure learned from counts: trees of questions, lists of rows, and what they score."""
