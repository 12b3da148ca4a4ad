"""Which providers keep their word: rows of the archive in, one report out, as values, HTML and Markdown. A pure room.

The same log gives the same bytes: no clock but the log's own, no randomness but one seeded by the log's digest, no order but one
that is written down. Nothing here reads a broker or writes a file; whoever asks hands over an open reader.
"""
