"""Classes told apart by networks of their own."""
