"""What is known of a run before it is looked around for it anew."""
