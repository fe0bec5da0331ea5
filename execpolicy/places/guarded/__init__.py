"""Files for agents written in Python: opened as they were judged."""
