"""Union-find over numbers, at four bytes a number."""

from array import array

import numpy as np
from numpy.typing import NDArray


class DisjointSets:
    def __init__(self, size: int) -> None:
        self._parent = array("i", range(size))

    def __len__(self) -> int:
        return len(self._parent)

    def join(self, left: int, right: int) -> None:
        left, right = self._find(left), self._find(right)
        if left != right:
            # The lower number becomes the root, so that the order of the links does not matter.
            self._parent[max(left, right)] = min(left, right)

    def roots(self) -> NDArray[np.int32]:
        """Return the lowest number of each number's set."""
        root = np.array(self._parent, dtype=np.int32)
        while not np.array_equal(root, root[root]):
            root = root[root]
        return root

    def _find(self, number: int) -> int:
        parent = self._parent
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number
