"""What agents did: the sessions that their hosts keep, as calls.

A host is one module with `PLACES` below the home, `knows` for one of its records, and `read`.
"""
