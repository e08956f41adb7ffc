"""From evidence to parameters."""
