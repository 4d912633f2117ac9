"""Evidence from a whole table of counts, as publications print it."""

from collections.abc import Sequence

import numpy as np

from reviewer.stats.pairs import Evidence
from reviewer.stats.values import Scale


def table_evidence(table: Sequence[Sequence[int]], scale: Scale) -> Evidence:
    """Take a table (rows human, columns auto) on a declared scale."""
    return Evidence(scale, np.array(table, dtype=np.float64))
