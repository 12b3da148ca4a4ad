"""The published shape of every `--json`, one module per command: keys are stable, members may be added.

An output names itself in `format` (`cardtrail.check/1`); a new major number may refuse. What is not known is null or empty, never
left out. `cardtrail schema NAME` prints the JSON Schema.
"""
