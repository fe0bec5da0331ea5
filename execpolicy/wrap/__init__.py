"""An agent inside walls: each program that it starts passes the policy, in its own sandbox."""
