"""Looks at the disk for a plan: what of it rules and places name, in one bounded traversal.

`stages` is the order: each stage takes what the one before it gives, and the last is a `Survey`.
"""
