"""The compiled rules, and how they match words, paths and hosts."""
