"""The ledger: what was asked, answered, approved, used and taken back, in one SQLite file.

A ledger that is missing, locked, damaged or another user's holds no approvals: then it asks.
"""
