"""How agents and programs log in below `wrap`, with a stand-in for the servers of their vendors."""
