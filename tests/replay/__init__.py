"""Recorded answers of other engines, replayed: `python -m tests.replay KIND FILE`."""
