"""What is known of the programs of agents, as data."""
