"""The ledger: what was asked, answered, approved, used and taken back, in one SQLite file.

Missing, locked, damaged or somebody else's means that there are no approvals, so that it asks.
"""
