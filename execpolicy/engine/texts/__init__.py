"""Texts on disk that commands run as a shell runs a text: recipes, tasks, scripts."""
