"""Payloads of agents' hooks as requests: tools, their fields, the files they touch."""
