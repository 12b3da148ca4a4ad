"""One fold over the log that says what a change means for each lock."""
