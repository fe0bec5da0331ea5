"""From a launch to a process that is confined: the launcher, and the child that it starts."""
