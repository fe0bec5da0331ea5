"""Small languages that stand in arguments: what their texts do."""
