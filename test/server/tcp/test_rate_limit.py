from simspark_ros.server.tcp.rate_limit import TokenBucket


def granted(bucket: TokenBucket, *wanted: int) -> list[int]:
    counts = []
    for want in wanted:
        counts.append(min(want, bucket.refill()))
        bucket.take(counts[-1])
    return counts


def test_one_now_and_then_never_waits_and_many_come_in_batches_that_average_the_refill() -> None:
    assert granted(TokenBucket(4, 1), 1, 1, 1, 2, 0, 1, 1, 1) == [1, 1, 1, 2, 0, 1, 1, 1]
    assert granted(TokenBucket(4, 1), *12 * [9]) == 3 * [4, 0, 0, 0]
    assert granted(TokenBucket(8, 2), *9 * [9]) == [8, 0, 0, 0, 8, 0, 0, 0, 8]
    assert granted(TokenBucket(1, 1), 5, 5, 5) == [1, 1, 1]
