"""What of a project is reached by a protected name that is not its own: through links, by PATH."""
