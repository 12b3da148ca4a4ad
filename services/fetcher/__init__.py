"""Finds, fetches and verifies cards on a schedule, and tells each attempt as a fact."""
