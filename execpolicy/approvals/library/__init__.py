"""Approvals for agents written in Python."""
