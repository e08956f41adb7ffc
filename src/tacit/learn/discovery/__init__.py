"""What the cases say of parameters: the search for rules that nobody stated."""
