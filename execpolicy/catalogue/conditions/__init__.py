"""What rules ask about a command: its options, effects and hosts, and what an open tail covers."""
