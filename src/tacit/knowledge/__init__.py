"""The language that people speak with Tacit: text to values, with the place of every word kept."""
