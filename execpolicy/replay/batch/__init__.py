"""A fleet's log: decided text by text, and joined again, without this machine's disk.

`decide_table` is the function; it needs pyarrow (extra `batch`).
"""

from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.replay.batch.table import decide_table

__all__ = ["BatchPolicy", "decide_table"]
