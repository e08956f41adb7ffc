"""A fit as facts, and the facts as text, markdown, HTML and JSON."""
