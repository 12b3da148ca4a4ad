"""Tests claims with safe, agreed requests; never on a request path."""
