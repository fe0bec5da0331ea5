"""The products that run coding agents: their hooks, their configuration, their permission lists."""
