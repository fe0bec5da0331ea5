"""What was decided lately, and what was made of it."""
