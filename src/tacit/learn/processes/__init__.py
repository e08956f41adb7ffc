"""Hidden processes: courses that series share, where each begins, and which series share."""
