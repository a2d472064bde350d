"""A suite that checks whether a physics engine keeps the promises of `simspark_ros.physics.engine`.

On the command line: `python -m simspark_conformance bullet`. From pytest:

    @pytest.mark.parametrize("check", CHECKS, ids=str)
    def test_my_engine(check):
        check.run(Subject.named("my_engine:create"))

The checks use small robots of their own and measure no time.
"""

from simspark_conformance.harness import Check, ConformanceError, NotApplicableError, Subject
from simspark_conformance.report import CheckOutcome, Report, run_all
from simspark_conformance.suite import CHECKS

__all__ = ["CHECKS", "Check", "CheckOutcome", "ConformanceError", "NotApplicableError", "Report", "Subject", "run_all"]
