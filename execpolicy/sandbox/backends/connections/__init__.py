"""The connections of a run to unix sockets: handed over by a filter, and made from outside."""
