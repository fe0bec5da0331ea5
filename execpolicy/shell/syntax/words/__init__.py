"""Words: quotes, what a `$` begins, arithmetic, and what zsh reads in another way."""
