from contextlib import closing

from simspark_stress.own_domain import OwnDomain


def test_a_domain_has_one_holder_at_a_time():
    with closing(OwnDomain()) as first:
        with closing(OwnDomain()) as second:
            assert second.number != first.number
        with closing(OwnDomain()) as third:
            assert third.number == second.number
