"""Turns planners' reports of real calls into facts; nobody else tells those."""
