"""The network proxy: the only way out of a sandbox, and a wall for programs that are pointed at it.

It decides, resolves, judges each address, and dials what it judged. Nothing is decrypted.
"""
