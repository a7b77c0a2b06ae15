"""Pool of children with a CUDA context: new ones, and those that may serve their kind again.

The driver makes one context after the other, for all processes of a machine and all of its GPUs:
if many ask at once, the first waits as long as the last. So a few at a time are made, the next
ones ahead of need. A request takes the first that is free: a new one, or one of its own kind.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from validation.harness.children import Closed


class Worker(Protocol):
    @property
    def gone(self) -> bool: ...

    def release(self) -> None: ...


One = TypeVar("One", bound=Worker)
# A kind of tasks that a child serves: a role, and the origin of the entries.
Kind = tuple[str, str]

# With one at a time the driver has nothing to do between two; more than two gain nothing.
MAKERS = 2
AHEAD = 2


@dataclass(eq=False, slots=True)
class Wait:
    """A waiting request. `since`: how many children were begun before it; `refusal`: why one of the
    later ones could not be made."""

    since: int
    refusal: BaseException | None = None


class Standby(Generic[One]):
    def __init__(self, make: Callable[[], One], *, ahead: int = AHEAD) -> None:
        self._make, self._ahead = make, ahead
        self._changed = threading.Condition()
        self._new: list[One] = []
        self._used: dict[Kind, list[One]] = {}
        self._waits: list[Wait] = []
        self._begun = self._making = self._makers = self._prepared = 0
        # Those that were begun before are given up.
        self._valid_from = 0
        self._refused = self._closed = False

    def take(self, kind: Kind | None) -> One:
        """Return a child that served this kind or is new; None: only a new one. Raise why a new one
        can't be made."""
        with self._changed:
            mine = Wait(self._begun)
            self._waits.append(mine)
            self._hire()
            self._changed.notify_all()
            try:
                self._changed.wait_for(lambda: self._offers(kind) or mine.refusal or self._closed)
                if self._closed:
                    raise Closed
                if mine.refusal:
                    raise mine.refusal
                return (self._of(kind) or self._new).pop()
            finally:
                self._waits.remove(mine)
                self._changed.notify_all()

    def prepare(self, count: int) -> None:
        """Make so many in all ahead of need, if any are made ahead."""
        with self._changed:
            self._prepared = max(self._prepared, count)
            self._hire()
            self._changed.notify_all()

    def put(self, kind: Kind, one: One) -> None:
        """Take back a child that may serve this kind again."""
        with self._changed:
            self._used.setdefault(kind, []).append(one)
            self._changed.notify_all()

    def give_up_new(self) -> None:
        """Release new children: later requests get one that is begun from now on."""
        with self._changed:
            given_up, self._new = self._new, []
            self._valid_from = self._begun
            self._changed.notify_all()
        for one in given_up:
            one.release()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _of(self, kind: Kind | None) -> list[One]:
        return self._used.get(kind, []) if kind else []

    def _offers(self, kind: Kind | None) -> bool:
        for some in (self._of(kind), self._new):
            if dead := [one for one in some if one.gone]:
                some[:] = [one for one in some if one not in dead]
                # Others are wanted in their place.
                self._changed.notify_all()
        return bool(self._of(kind) or self._new)

    def _hire(self) -> None:
        while self._makers < MAKERS and not self._closed:
            self._makers += 1
            threading.Thread(target=self._work, name="standby", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._wanted())
                if self._closed:
                    return
                number = self._begun
                self._begun += 1
                self._making += 1
            made: One | BaseException
            try:
                made = self._make()
            except BaseException as error:  # noqa: BLE001 - raised where one was asked for
                made = error
            with self._changed:
                self._making -= 1
                self._refused = isinstance(made, BaseException)
                late = number < self._valid_from
                if isinstance(made, BaseException):
                    self._refuse(number, made)
                elif not late:
                    self._new.append(made)
                self._changed.notify_all()
            if late and not isinstance(made, BaseException):
                made.release()

    def _refuse(self, number: int, why: BaseException) -> None:
        """Raise `why` where a request was made before child `number` was begun: later requests have
        nothing to do with it."""
        for wait in self._waits:
            if wait.since <= number and wait.refusal is None:
                wait.refusal = why
                break

    def _wanted(self) -> bool:
        """Return whether one more is to be made. After a refusal none is made ahead: the next
        request tries again and gets the reason."""
        ahead = 0 if self._refused else self._ahead
        waiting = sum(wait.refusal is None for wait in self._waits)
        if waiting + ahead > len(self._new) + self._making:
            return True
        return ahead > 0 and self._begun < self._prepared
