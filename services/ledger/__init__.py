"""Tamper evidence: the log as a Merkle tree in stream order, signed heads of it, proofs. Pure: no clock, no broker, no file.

A leaf says where and when the broker stored what; the tree is RFC 9162's; a head is a C2SP checkpoint, signed with Ed25519.
"""
