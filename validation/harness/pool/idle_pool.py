"""Pool of idle children with a CUDA context: new ones, and used ones that may serve again.

The driver creates contexts one at a time, for all processes and all GPUs of a machine: if many ask
at once, the first waits as long as the last. So a few threads create them, ahead of need. A request
takes the first free child: a new one, or one that served the same kind of task.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Generic, Protocol, TypeVar

from validation.harness.pool.children import Closed


class Releasable(Protocol):
    @property
    def gone(self) -> bool: ...

    def release(self) -> None: ...


Idle = TypeVar("Idle", bound=Releasable)
# Kind of tasks: the role, and the origin of the entries.
Kind = tuple[str, str]

# With one maker thread, the driver idles between two contexts. More than two gain nothing.
MAKERS = 2
AHEAD = 2


@dataclass(eq=False, slots=True)
class Request:
    """A waiting request.

    since: number of children begun before the request.
    refusal: why one of the children begun later could not be made.
    """

    since: int
    refusal: BaseException | None = None


class IdlePool(Generic[Idle]):
    """Idle children. `make` creates one; `ahead` of them are created before they are requested."""

    def __init__(self, make: Callable[[], Idle], *, ahead: int = AHEAD) -> None:
        self._make, self._ahead = make, ahead
        self._changed = threading.Condition()
        self._new: list[Idle] = []
        self._used: dict[Kind, list[Idle]] = {}
        self._requests: list[Request] = []
        self._begun = self._making = self._makers = self._prepared = 0
        # Discard children that were begun before this number.
        self._valid_from = 0
        self._refused = self._closed = False

    def take(self, kind: Kind | None) -> Idle:
        """Return a new child, or one that served this kind. Raise if no new one can be made.

        kind: None for a new child only.
        """
        with self._changed:
            request = Request(self._begun)
            self._requests.append(request)
            self._start_makers()
            try:
                self._changed.wait_for(
                    lambda: self._offers(kind) or request.refusal or self._closed
                )
                if self._closed:
                    raise Closed
                if request.refusal:
                    raise request.refusal
                return (self._used_by(kind) or self._new).pop()
            finally:
                self._requests.remove(request)
                self._changed.notify_all()

    def prepare(self, count: int) -> None:
        """Raise the number of children to make ahead, unless none are made ahead."""
        with self._changed:
            self._prepared = max(self._prepared, count)
            self._start_makers()

    def put(self, kind: Kind, child: Idle) -> None:
        """Take back a child that may serve this kind again."""
        with self._changed:
            self._used.setdefault(kind, []).append(child)
            self._changed.notify_all()

    def give_up(self) -> None:
        """Release all idle children: later requests get children that are begun from now on."""
        with self._changed:
            given_up = [*self._new, *chain.from_iterable(self._used.values())]
            self._new, self._used = [], {}
            self._valid_from = self._begun
            self._changed.notify_all()
        for child in given_up:
            child.release()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _used_by(self, kind: Kind | None) -> list[Idle]:
        return self._used.get(kind, []) if kind else []

    def _offers(self, kind: Kind | None) -> bool:
        for children in (self._used_by(kind), self._new):
            if any(child.gone for child in children):
                children[:] = [child for child in children if not child.gone]
                # Maker threads replace children that died.
                self._changed.notify_all()
        return bool(self._used_by(kind) or self._new)

    def _start_makers(self) -> None:
        while self._makers < MAKERS and not self._closed:
            self._makers += 1
            threading.Thread(target=self._make_children, name="idle", daemon=True).start()
        self._changed.notify_all()

    def _make_children(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._is_wanted())
                if self._closed:
                    return
                number = self._begun
                self._begun += 1
                self._making += 1
            child, refusal = None, None
            try:
                child = self._make()
            except BaseException as error:  # noqa: BLE001 - raised at a request
                refusal = error
            with self._changed:
                self._making -= 1
                self._refused = refusal is not None
                is_late = number < self._valid_from
                if refusal is not None:
                    self._refuse(number, refusal)
                elif child is not None and not is_late:
                    self._new.append(child)
                self._changed.notify_all()
            if is_late and child is not None:
                child.release()

    def _refuse(self, number: int, why: BaseException) -> None:
        """Pass `why` to the first request that was made before child `number` was begun."""
        for request in self._requests:
            if request.since <= number and request.refusal is None:
                request.refusal = why
                break

    def _is_wanted(self) -> bool:
        """Return whether another child should be made.

        After a refusal, none is made ahead: the next request tries again, and gets the reason.
        """
        ahead = 0 if self._refused else self._ahead
        waiting = sum(request.refusal is None for request in self._requests)
        if waiting + ahead > len(self._new) + self._making:
            return True
        return ahead > 0 and self._begun < self._prepared
