"""What the audit commands do: facts from the log of a tracker, or from a bundle, into the pure answers of `services/audit`."""
