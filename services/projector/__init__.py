"""Drives the folds of `projections` into their stores and answers read queries."""
