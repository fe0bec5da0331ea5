"""Which paths and hosts an operation is about, and what rules and places say of them."""
