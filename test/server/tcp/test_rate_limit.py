from simspark_ros.server.tcp.rate_limit import TokenBucket


def granted(bucket: TokenBucket, *wanted: int) -> list[int]:
    """Tokens granted, cycle by cycle."""
    counts = []
    for want in wanted:
        counts.append(min(want, bucket.refill()))
        bucket.take(counts[-1])
    return counts


def test_one_now_and_then_never_waits() -> None:
    assert granted(TokenBucket(4, 1), 1, 1, 1, 2, 0, 1, 1, 1) == [1, 1, 1, 2, 0, 1, 1, 1]


def test_many_come_in_batches_that_average_the_refill() -> None:
    assert granted(TokenBucket(4, 1), *12 * [9]) == 3 * [4, 0, 0, 0]
    assert granted(TokenBucket(8, 2), *9 * [9]) == [8, 0, 0, 0, 8, 0, 0, 0, 8]


def test_a_bucket_of_one_is_one_in_every_cycle() -> None:
    assert granted(TokenBucket(1, 1), 5, 5, 5) == [1, 1, 1]
