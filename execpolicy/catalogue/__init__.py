"""The catalogue: what known programs do with their argv.

`compile_programs` turns `program(...)` calls into plain data, `Catalogue` loads one entry of it at
a time, `read` says what an argv does.
"""

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.reading.cause import Cause
from execpolicy.catalogue.reading.read import read
from execpolicy.catalogue.reading.reading import Inner, Reading, StandardInput

__all__ = ["Catalogue", "Cause", "Inner", "Reading", "StandardInput", "read"]
