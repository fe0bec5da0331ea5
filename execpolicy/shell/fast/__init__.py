"""Reads texts that need no grammar: simple commands in pipelines and lists."""
