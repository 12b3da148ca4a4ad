"""An incident to take away: a slice of the log with the bodies it names, in files that people and programs can read.

A bundle is a folder, or a tar of it: `manifest.json`, `facts.jsonl`, `bodies.jsonl` and, where a signed head covers the slice,
`tree.jsonl` with what proves its facts. Everything in a bundle is untrusted until its digests, and its head, are checked.
"""
