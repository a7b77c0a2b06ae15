"""When a process is started again, and when no more."""

from curation.operations.process import RestartPolicy


def test_delays_double_up_to_the_longest() -> None:
    restart_policy = RestartPolicy(most=9, first=0.5, longest=3)

    delays = [restart_policy.delay(started=second, ended=second + 1) for second in range(5)]

    assert delays == [0.5, 1, 2, 3, 3]


def test_more_than_the_most_within_the_window_is_too_often() -> None:
    restart_policy = RestartPolicy(most=5, window=60)

    delays = [restart_policy.delay(started=second, ended=second + 1) for second in range(6)]

    assert None not in delays[:5]
    assert delays[5] is None


def test_a_window_of_good_running_is_forgiven() -> None:
    restart_policy = RestartPolicy(most=5, window=60, first=0.5)
    for second in range(5):
        restart_policy.delay(started=second, ended=second + 1)

    assert restart_policy.delay(started=10, ended=100) == 0.5


def test_ends_far_apart_are_never_too_many() -> None:
    restart_policy = RestartPolicy(most=2, window=60)

    assert None not in [restart_policy.delay(started=50 * n, ended=50 * n + 45) for n in range(20)]
