"""What the live commands share: the settings file, the connection to the tracker, tables of answers."""
