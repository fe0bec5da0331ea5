"""Operations that use a key of the user, in a sandbox."""
