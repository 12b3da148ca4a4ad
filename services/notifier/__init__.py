"""Tells owners of decisions, once."""
