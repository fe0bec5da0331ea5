"""What rules files write of programs, which no decision reads but where a key is used."""
