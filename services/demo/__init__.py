"""The worked examples that run on a fresh machine: bundled agents over real HTTPS that change on cue, and their stories."""
