"""Rules that are not linear: their functions, and the most likely tables under them."""
