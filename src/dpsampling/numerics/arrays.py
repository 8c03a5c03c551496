"""Types of NumPy's arrays, by what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Indices = NDArray[np.intp]
Integers = NDArray[np.int64]
