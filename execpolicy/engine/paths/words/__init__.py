"""What a word that is not known may be."""
