"""The language of `*.rules`: from text to rules."""
