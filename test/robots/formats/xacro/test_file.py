"""xacro files compute with values and read their own files, not the machine's; processed models are kept."""

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import xacro
import yaml

from simspark_ros.configuration.resources import resource
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files import imported
from simspark_ros.robots.formats.adaptation import addresses
from simspark_ros.robots.formats.xacro import kept_models
from simspark_ros.robots.formats.xacro.file import SUPPORTED, process_xacro
from simspark_ros.robots.formats.xacro.kept_models import kept_model, state_of

ROOT = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
SECRET = "hunter2"

Process = Callable[..., str]


def document(content: str) -> str:
    return f'<robot name="r" {ROOT}>{content}</robot>'


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with secrets, beside that of the model."""
    written(tmp_path / "outside" / "secret.yaml", f"password: {SECRET}")
    written(tmp_path / "outside" / "secret.xml", f"<config><password>{SECRET}</password></config>")
    return tmp_path / "outside"


@pytest.fixture
def process(tmp_path: Path, outside: Path) -> Process:
    """Processes a model with such a content; its folder has files of values and macros, and links that lead out."""
    folder = tmp_path / "model"
    written(folder / "own.yaml", "wheel: {radius: 0.5, angle: !degrees 180, sizes: [1, {depth: 2}]}")
    written(folder / "parts" / "macros.xacro", document('<xacro:property name="width" value="7"/>'))
    (folder / "link.yaml").symlink_to(outside / "secret.yaml")
    (folder / "link.xml").symlink_to(outside / "secret.xml")
    (folder / "folder").symlink_to(outside)

    def process(content: str) -> str:
        return process_xacro(written(folder / "r.urdf.xacro", document(content)), 0)

    return process


def refusal(process: Process, content: str) -> str:
    with pytest.raises(RobotError) as caught:
        process(content)
    assert SECRET not in str(caught.value)
    return str(caught.value)


INCLUDE = '<xacro:include filename="{}"/>'
VALUES = """<material name="${{str(xacro.load_yaml('{}'))}}"/>"""
OUTSIDE = "neither in the folder of the model"
NOWHERE = "the folder does not exist; wildcards may stand only for names of files"


@pytest.mark.parametrize(
    ("content", "names", "problem"),
    [
        (VALUES, ("../outside/secret.yaml", "link.yaml", "folder/secret.yaml", "/etc/passwd"), OUTSIDE),
        (INCLUDE, ("../outside/secret.xml", "link.xml", "*.xml", "folder/*.xml", "../outside/*.xml"), OUTSIDE),
        (INCLUDE, ("parts/../../outside/*", "$(find model)/link.xml", "$(find folder)/secret.xml"), OUTSIDE),
        (INCLUDE, ("fold*/secret.*", "fold*/other.*"), NOWHERE),
        (VALUES, ("broken.yaml",), "ParserError"),
    ],
)
def test_files_are_the_model_s_own(
    process: Process, tmp_path: Path, content: str, names: tuple[str, ...], problem: str
) -> None:
    written(tmp_path / "model" / "broken.yaml", f"{SECRET}: [{SECRET}")
    for name in names:
        assert problem in refusal(process, content.format(name))


def test_files_below_the_model_are_read_and_those_of_its_package(process: Process, tmp_path: Path) -> None:
    text = process(
        """<xacro:include filename="parts/*.xacro"/><xacro:include filename="parts/macros.xacro" ns="part"/>
        <xacro:property name="y" value="${xacro.load_yaml('own.yaml')}"/>
        <a b="${y.wheel.radius} ${y['wheel'].sizes[1].depth} ${y.wheel.angle} ${width} ${part.width}"/>"""
    )
    assert '<a b="0.5 2 3.141592653589793 7 7"/>' in text
    written(tmp_path / "package" / "package.xml", "<package/>")
    written(tmp_path / "package" / "config" / "own.yaml", "length: 3")
    content = """<a b="${xacro.load_yaml('../config/own.yaml').length}"/>"""
    model = written(tmp_path / "package" / "urdf" / "r.urdf.xacro", document(content))
    assert '<a b="3"/>' in process_xacro(model, 0)


def test_packages_are_read(process: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = tmp_path / "share" / "arm_description"
    source = written(tmp_path / "sources" / "arm.xacro", document('<xacro:property name="reach" value="9"/>'))
    found.mkdir(parents=True)
    # As colcon installs files when it is told to link them.
    (found / "arm.xacro").symlink_to(source)

    def share(name: str) -> Path:
        if name != "arm_description":
            raise FileNotFoundError(name)
        return found

    monkeypatch.setattr(addresses, "ros_package", share)
    include = '<xacro:include filename="$(find arm_description)/{}"/><a b="${{reach}}"/>'
    assert '<a b="9"/>' in process(include.format("arm.xacro"))
    assert "neither in the folder" in refusal(process, include.format("../../outside/secret.xml"))
    assert "neither in the folder" in refusal(process, f'<xacro:include filename="{found}/arm.xacro"/>')
    assert "package 'leg_description' is not found" in refusal(process, '<a b="$(find leg_description)"/>')
    process("")
    model = tmp_path / "model" / "r.urdf.xacro"
    model.write_text(document('<xacro:include filename="parts/macros.xacro"/>'), encoding="utf-8")
    spy = document(f"<material name=\"${{xacro.load_yaml('{tmp_path}/model/own.yaml')}}\"/>")
    written(tmp_path / "spy" / "parts" / "macros.xacro", spy)
    (tmp_path / "spy" / "r.urdf.xacro").symlink_to(model)
    assert "radius" not in process_xacro(tmp_path / "spy" / "r.urdf.xacro", 0)


@pytest.mark.parametrize("place", ["package.xml", "name of the folder", "ROS_PACKAGE_PATH"])
def test_packages_are_found_as_for_meshes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    package = tmp_path / ("checkout" if place == "package.xml" else "cart_description")
    values = written(package / "urdf" / "values.xacro", document('<xacro:property name="width" value="7"/>'))
    folder = values.parent
    if place == "package.xml":
        written(package / "package.xml", "<package><name>cart_description</name></package>")
    elif place == "name of the folder":
        (package / "meshes").mkdir()
    else:
        folder = tmp_path / "elsewhere"
        monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    include = '<xacro:include filename="$(find cart_description)/urdf/values.xacro"/><a b="${width}"/>'
    assert '<a b="7"/>' in process_xacro(written(folder / "cart.urdf.xacro", document(include)), 0)


def test_parts_of_this_package_and_defaults_may_be_used(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<material" in process('<xacro:include filename="$(find simspark_ros)/urdf/nao/solids.xacro"/>')
    monkeypatch.setenv("ROBOT_COLOUR", SECRET)
    text = process('<material name="$(optenv ROBOT_COLOUR light grey)"/><material name="x$(optenv ROBOT_COLOUR)"/>')
    assert 'name="light grey"' in text and 'name="x"' in text


SIZE = '<xacro:arg name="size" default="3"/>'


def content(expression: str) -> str:
    """An expression as it stands in a file, in either of xacro's forms."""
    return expression if expression.startswith("$(") else f"${{{expression}}}"


@pytest.mark.parametrize("command", ["$(env HOME)", "$(cwd)"])
def test_the_environment_is_not_for_robots(process: Process, command: str) -> None:
    text = refusal(process, f'<material name="{command}"/>')
    assert "may differ between processes, so robot files cannot use it; use xacro:arg" in text


@pytest.mark.parametrize(
    "expression",
    [
        r"'{0.__globals__[os].environ\x7d'.format(xacro.load_yaml)",
        "list(map('x'.format_map, [dict()]))",
        "python.vars(python.type(1))['__doc__']",
        "python['va' + 'rs'](1)",
        "python['type'](1)",
        "list(python.values())",
        "[xacro.load_yaml.x for xacro.load_yaml.x in [1]]",
        "[g.gi_frame for g in [(x for x in [])]]",
        "int.mro()",
        "(lambda: ().__class__)()",
        "part['**block'].ownerDocument.implementation",
        "part.parent",
        "__builtins__",
        *(f"$(eval {one})" for one in ("open", "env", "size.__class__", "size.real.conjugate.__self__", "__import__")),
    ],
)
def test_expressions_reach_values_alone(process: Process, expression: str) -> None:
    block = '<xacro:property name="block"><x/></xacro:property><xacro:include filename="parts/macros.xacro" ns="part"/>'
    assert "in 'r.urdf.xacro': " in refusal(process, f'{SIZE}{block}<material name="{content(expression)}"/>')


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'a,b'.split(',')[1].upper()", "B"),
        ("str.join('-', ['a', 'b'])", "a-b"),
        ("'%02d' % 7", "07"),
        ("[x * 2 for x in range(3)]", "[0, 2, 4]"),
        ("math.cos(0) + radians(0)", "1.0"),
        ("python.sum(x for x in [1, 2])", "3"),
        ("xacro.dotify(dict(a=dict(b=4))).a.b", "4"),
        ("dict(a=1).get('b', 5)", "5"),
        ("(1+2j).imag", "2.0"),
        ("_half * 2", "1.0"),
        ("$(eval 1 + 2)", "3"),
        ("$(eval size * 2)", "6"),
        ("$(eval pi > 3 and true)", "True"),
        ("xacro.arg('type')", "0"),
    ],
)
def test_expressions_compute(process: Process, expression: str, value: str) -> None:
    half = '<xacro:property name="_half" value="0.5"/>'
    assert f'<a b="{value}"/>' in process(f'{SIZE}{half}<a b="{content(expression)}"/>')


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (f"""<a b="${{dict()['{SECRET}']}}"/>""", "in 'r.urdf.xacro': KeyError; run the command xacro for details"),
        (f"""<a b="${{int('{SECRET}')}}"/>""", "in 'r.urdf.xacro': ValueError;"),
        (f"""<a b="${{xacro.fatal('{SECRET}')}}"/>""", "in 'r.urdf.xacro': it called xacro.fatal"),
        (f"<xacro:{SECRET}/>", "in 'r.urdf.xacro': unknown macro name;"),
        (f'<xacro:if value="{SECRET}"/>', "in 'r.urdf.xacro': Xacro conditional"),
        (f'<xacro:property name="{SECRET} x" value="1"/>', "in 'r.urdf.xacro': Property names must be valid python"),
        (f"<a b='$(arg {SECRET})'/>", "in 'r.urdf.xacro': $(arg ...) names no xacro:arg of the file"),
        ('<xacro:include filename="own.yaml"/>', "in 'own.yaml': syntax error: line 1, column 0"),
        ('<xacro:include filename="none.xacro"/>', "in 'r.urdf.xacro': No such file or directory: FileNotFoundError;"),
    ],
)
def test_an_error_is_named_by_its_kind_and_place(process: Process, content: str, problem: str) -> None:
    assert f"r.urdf.xacro: xacro failed for type:=0: {problem}" in refusal(process, content)


def test_xacro_is_as_before_for_others_and_for_the_next_file(process: Process) -> None:
    def state() -> list[Any]:
        return [*vars(xacro).values(), yaml.SafeLoader.yaml_constructors.copy()]

    process("")
    before = state()
    process("""<a b="${math.update(dict()) if False else xacro.load_yaml('own.yaml').wheel.angle}"/>""")
    refusal(process, "<a b='${1/0}'/>")
    assert state() == before
    # A file with such a tag would be a program wherever it is read.
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load("!degrees 9**9")
    assert '<a b="None 3"/>' in process('<a b="${dict.update(math, dict(pi=3))} ${math.pi}"/>')
    assert '<a b="3.14' in process('<a b="${math.pi}"/>')


@pytest.mark.parametrize(
    "name", ["_global_symbols", "safe_eval", "eval_extension", "get_include_files", "process_file", "ConstructUnits"]
)
def test_another_xacro_is_named_as_the_problem(process: Process, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delattr(xacro, name)
    text = refusal(process, """<a b="${xacro.load_yaml('own.yaml').wheel}"/>""")
    assert f"xacro {version('xacro')} has no {name!r}; simspark_ros works with xacro>=2.0.10,<3" in text


def test_the_supported_xacro_is_the_required_one() -> None:
    project = Path(__file__).resolve().parents[4] / "pyproject.toml"
    assert f'    "{SUPPORTED}",' in project.read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where texts are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "simspark_ros"


MODEL = """<robot name="own$(arg type)" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="type" default="0"/><xacro:include filename="parts/leg.xacro"/>
<mass value="${xacro.load_yaml('../config/own.yaml').mass}"/></robot>"""
LEG = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><leg length="0.09"/></robot>'


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that reads files of another folder of its package."""
    files = {"package.xml": "", "config/own.yaml": "mass: 2", "urdf/parts/leg.xacro": LEG, "urdf/own.urdf.xacro": MODEL}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "urdf" / "own.urdf.xacro"


def kept(model: Path, variant: int = 0) -> str:
    return kept_model(model, variant, state_of((model.parent, model.parent.parent / "config")))


@pytest.fixture
def processed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    variants: list[int] = []

    def process(model: Path, variant: int) -> str:
        variants.append(variant)
        return process_xacro(model, variant)

    monkeypatch.setattr(kept_models, "process_xacro", process)
    return variants


def test_a_model_is_processed_once_for_each_variant(folder: Path, model: Path, processed: list[int]) -> None:
    texts = [kept(model, variant) for variant in (0, 4, 0, 4)]
    assert texts == [process_xacro(model, variant) for variant in (0, 4, 0, 4)]
    assert processed == [0, 4] and len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "old", "new"), [("urdf/parts/leg.xacro", "0.09", "0.1"), ("config/own.yaml", "mass: 2", "mass:  2")]
)
def test_a_change_is_seen(folder: Path, model: Path, processed: list[int], name: str, old: str, new: str) -> None:
    before = kept(model)
    file = model.parent.parent / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    after = kept(model)
    assert processed == [0, 0] and after == process_xacro(model, 0)
    assert (after != before) == (file.suffix == ".xacro")


@pytest.mark.parametrize("damage", [b"", b"no newline", b"\xff\xfe", None])
def test_a_damaged_text_is_not_used(folder: Path, model: Path, processed: list[int], damage: bytes | None) -> None:
    text = kept(model)
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-10] if damage is None else damage)
    assert kept(model) == text
    assert processed == [0, 0]


def test_without_a_place_nothing_is_kept(folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.write_text("a file", encoding="utf-8")
    assert kept(model) == process_xacro(model, 0)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert kept(model) == process_xacro(model, 0)


def test_an_unreadable_file_hinders_no_other_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "dangling.xacro").symlink_to(tmp_path / "nothing")
    monkeypatch.setattr(imported, "_state_of_package", lambda: state_of((tmp_path,)))
    monkeypatch.setattr(imported, "process_xacro", lambda model, variant: f"{model.name} {variant}")
    read = imported._model_of_package.__wrapped__
    assert read(resource("urdf") / "nao.urdf.xacro", 4) == "nao.urdf.xacro 4"
