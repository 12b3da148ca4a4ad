"""The nouns that events speak of: card, profile, lockfile, evidence, finding, policy. Frozen values, no behaviour, no I/O."""
