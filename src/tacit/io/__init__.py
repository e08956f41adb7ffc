"""Cases in, networks in and out."""
