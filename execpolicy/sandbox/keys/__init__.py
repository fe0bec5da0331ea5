"""Operations that use a key of the user: each alone, with it and its host only."""
