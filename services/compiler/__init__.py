"""Turns an observed card into the effective profile, and tells it when it differs."""
