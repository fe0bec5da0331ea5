"""Looks at the machine for a plan, and at what a run left."""
