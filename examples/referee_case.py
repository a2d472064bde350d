"""What the referee must decide in a situation, written as YAML and checked (docs/reference/referee_cases.md).

python examples/referee_case.py          # or: simspark referee-check examples/files/over_the_line.yaml
"""

from pathlib import Path

from simspark_matches.referee_cases.case import load_cases
from simspark_matches.referee_cases.check import check

CASES = Path(__file__).parent / "files" / "over_the_line.yaml"


def main() -> None:
    """Play the cases of a file."""
    for case in load_cases(CASES):
        print(check(case, "bullet", CASES))


if __name__ == "__main__":
    main()
