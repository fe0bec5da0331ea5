"""The command line: `execpolicy COMMAND …`.

A host starts this file by its path, and Python compiles such a file each time: so it is short.
"""

import gc
import os
import sys

gc.disable()  # a check ends before a collection could pay
sys.modules["execpolicy.__main__"] = sys.modules[__name__]  # so that `-m` runs it no second time
packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if sys.flags.no_site and packages not in sys.path:
    sys.path.append(packages)

from execpolicy.support import startup

startup.fill_streams()
startup.use()

from execpolicy.commands.start import dispatch as dispatch
from execpolicy.commands.start import main as main

if __name__ == "__main__":
    main()
