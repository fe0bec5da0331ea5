"""The catalogue: what known programs do with their argv.

`compile_programs` turns `program(...)` calls into plain data, `Catalogue` loads one entry of it at
a time, `read` says what an argv does.
"""

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.read import read
from execpolicy.catalogue.reading import Cause, Inner, Reading

__all__ = ["Catalogue", "Cause", "Inner", "Reading", "read"]
