"""Where rules come from: layers, files, settings and trust."""
