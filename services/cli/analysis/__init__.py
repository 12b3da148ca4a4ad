"""What the commands for analysts share: the snapshot they read, times by the log's own clock, answers as text and files."""
