"""Tables of cases: what a policy is meant to decide, checked against what it decides."""
