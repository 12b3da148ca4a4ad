"""What a change means for one lock. Pure: no I/O, no clock; rules are one file each and know nothing of NATS, HTTP or DuckDB."""
