"""What the documentation says exists: pages, anchors, commands with their options, launch files, targets of make.

Commands that take no time are run, too.
"""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from simspark_ros import cli
from simspark_ros.configuration.schema import declarations
from simspark_ros.server.settings import ServeSettings
from simspark_ros.simulation.settings import SimulationSettings

ROOT = Path(__file__).parents[2]
FOLDERS = ("*.md", "docs/**/*.md", "*/README.md", "simspark_ros/**/README.md")
PAGES = sorted(path for folder in FOLDERS for path in ROOT.glob(folder))
PAGES.remove(ROOT / "CHANGELOG.md")
SOURCES = ("simspark_ros", "scripts", "examples", "test", "benchmarks", "launch", "docs", "*/src", "*/test")
EXAMPLES_OF_PLUG_INS = ("hop",)
"""Sub-commands of the package that docs/how_to/plugins.md describes."""


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


def lines_of(page: Path) -> Iterator[str]:
    """Lines in a page's blocks of shell commands, without comments; continued ones joined."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        if language in ("", "console", "bash", "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                yield re.sub(r"\s#\s.*", "", line).strip()


def commands(*program: str) -> list[tuple[str, tuple[str, ...]]]:
    """(page, arguments) of all lines that call a program."""
    found = set()
    for page in PAGES:
        for line in lines_of(page):
            if not re.search(rf"(?:^|[ /]){program[0]} ", line):
                continue
            tokens = [token.removeprefix(".venv/bin/") for token in shlex.split(line)]
            for start in range(len(tokens)):
                end = start + len(program)
                if tuple(tokens[start:end]) == program:
                    rest = takewhile(lambda token: token not in ("|", "&&", ";", "&", ">"), tokens[end:])
                    found.add((page.name, tuple(token for token in rest if token != "...")))
    return sorted(found)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_are_python_and_files_are_yaml(page: Path) -> None:
    blocks = re.findall(r"^( *)```(python|yaml)\n(.*?)^ *```", page.read_text(), re.DOTALL | re.MULTILINE)
    for _, language, block in blocks:
        list(yaml.safe_load_all(block)) if language == "yaml" else ast.parse(dedent(block))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings_that_are_there(page: Path) -> None:
    missing = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"https?:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in anchors(path)):
            missing.append(target)
    assert not missing


def test_modules_that_pages_name_exist_and_every_page_is_in_the_site() -> None:
    there = [f"/{path.relative_to(ROOT)}" for folder in SOURCES for path in ROOT.glob(f"{folder}/**/*.py")]
    pages = [page for page in PAGES if page.parent.name not in ("tutorials", "how_to", "course")]
    for page in pages:
        for named in re.findall(r"`([\w/]+\.py)`", page.read_text()):
            assert any(path.endswith(f"/{named}") for path in there), f"{page}: there is no {named}"
    docs = ROOT / "docs"
    listed = set(re.findall(r"^[\w/]+$", (docs / "index.md").read_text(), re.MULTILINE))
    written = {str(path.relative_to(docs).with_suffix("")) for path in PAGES if path.is_relative_to(docs)}
    assert written - {"index"} == listed


@pytest.mark.parametrize(("page", "arguments"), commands("simspark"))
def test_commands_and_their_options_exist(page: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch) -> None:
    if arguments[0] in EXAMPLES_OF_PLUG_INS:
        return
    monkeypatch.chdir(tmp_path)
    for name in re.findall(r"[\w/]+\.(?:yaml|urdf|xml|sdf|rsg)\b", " ".join(arguments)):
        # A file of the user's.
        path = tmp_path / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    try:
        cli.build_parser().parse_args(arguments)
    except SystemExit as ended:
        assert ended.code == 0, f"{page}: simspark {shlex.join(arguments)}"


@pytest.mark.parametrize(
    ("page", "arguments"),
    [each for each in commands("simspark") if each[1][0] in ("list", "new") and "NAME" not in each[1]],
)
def test_commands_that_need_nothing_run(page: str, arguments: tuple[str, ...], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 0, page


@pytest.mark.parametrize(("page", "arguments"), commands("ros2", "launch", "simspark_ros"))
def test_launch_files_exist_with_their_arguments(page: str, arguments: tuple[str, ...]) -> None:
    name, *given = arguments
    text = (ROOT / "launch" / name).read_text()
    settings = {each.name for kind in (ServeSettings, SimulationSettings) for each in declarations(kind)}
    for key in (argument.partition(":=")[0] for argument in given):
        assert key in text or key in settings, f"{page}: {name} has no argument {key}"


@pytest.mark.parametrize(
    ("page", "arguments"), [each for each in commands("python") if each[1][0].startswith(("benchmarks/", "examples/"))]
)
def test_programs_exist_with_their_options(page: str, arguments: tuple[str, ...]) -> None:
    name, *given = arguments
    text = (ROOT / name).read_text()
    # Some are made from the names of settings, or of sides.
    if "add_options(" in text or 'f"--{' in text:
        return
    own = takewhile(lambda argument: argument not in ("--", "--ros-args"), given)
    for option in (argument.partition("=")[0] for argument in own if argument.startswith("--")):
        assert f'"{option}"' in text, f"{page}: {name} has no option {option}"


@pytest.mark.parametrize(("page", "arguments"), commands("make"))
def test_targets_of_make_exist(page: str, arguments: tuple[str, ...]) -> None:
    assert re.search(rf"^{re.escape(arguments[0])}:", (ROOT / "Makefile").read_text(), re.MULTILINE), page
