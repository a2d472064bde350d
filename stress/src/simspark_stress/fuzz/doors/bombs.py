"""Files that expand out of all proportion or refer to themselves: bombs, circles, great depth and length."""

from __future__ import annotations

import random

_LONG = 5000
"""Letters of a long name, longer than any file system allows."""

_EXPRESSIONS = (
    *("9**9**9", "10**10**8", "[0]*10**10", "'x'*10**11", "sum(range(10**11))", "1/0", "().__class__.__bases__"),
    *("xacro.load_yaml('/etc/passwd')", "[].append", "type", "${type}", "{", "'" * 999),
)

_LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>{}</link>"
)

_SHAPE = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'


def yaml_bomb(source: random.Random, key: str, own: str) -> str:
    """Draw lines of YAML in which the value of a key is out of all proportion; `own` is the name of their file."""
    levels, depth = source.randint(3, 9), source.choice((50, 500, 50_000))
    aliases = _aliases(levels, *source.choice((("[{}]", ""), ("{{{}}}", "k{}: "))))
    return source.choice(
        (
            f"{key}: {aliases}\n",
            f"{key}: [{{kind: time, parameters: {aliases}}}]\n",
            f"{key}: {{0: {aliases}}}\n",
            f"x: {aliases}\n{key}: {{<<: *a{levels - 1}}}\n",
            f"{key}: &a [*a, *a]\n",
            f"{key}: &a {{x: *a}}\n",
            f"{key}: {'[' * depth}\n",
            f"{key}: {'{x: ' * min(depth, 500)}1{'}' * min(depth, 500)}\n",
            f"based_on: {own}\n",
            f"based_on: ./{own}\n{key}: {{}}\n",
            f"based_on: {'x' * _LONG}.yaml\n",
            f"based_on: {'../' * _LONG}x.yaml\n",
            f"{key}: {'9' * _LONG}\n",
            f"{key}: {'x' * _LONG}\n",
            f"{'x' * _LONG}: 1\n",
            f"{key}: !!python/object/apply:os.getpid []\n",
            f"{key}: 1\n---\n{key}: 2\n",
        )
    )


def model_bomb(source: random.Random, own: str) -> dict[str, str]:
    """Draw a URDF or xacro model that is endless, circular, deep or large: texts of its files by name, `own` first."""
    count, depth = source.choice((65, 129, 300, 2000)), source.choice((50, 500, 20_000))
    expression = "${" + source.choice(_EXPRESSIONS) + "}"
    variable = _LINK.format("${a}", "")
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 9 if n else "x" * 99}">' for n in range(9))
    if source.random() < 0.1:
        doubling = {f"{number}-{own}": _including(f"{number + 1}-{own}", 2) for number in range(20)}
        return {own: _including(f"0-{own}", 2), **doubling, f"20-{own}": _robot("")}
    text = source.choice(
        (
            _robot(_LINK.format("link_0", ""), expression),
            _robot(f'<xacro:property name="a" value="{expression}"/>{variable}'),
            _robot('<xacro:macro name="m"><xacro:m/><xacro:m/></xacro:macro><xacro:m/>'),
            _robot(f'<xacro:property name="a" value="${{b}}"/><xacro:property name="b" value="${{a}}"/>{variable}'),
            _including(own, 2),
            _including("/dev/zero", 1),
            _including("/proc/self/mem", 1),
            _including("x" * _LONG, 1),
            chain(count),
            _robot(_LINK.format("link_0", _SHAPE * count)),
            _robot(_LINK.format("x" * _LONG, "")),
            _robot("<link>" * depth + "</link>" * depth),
            f"<!DOCTYPE r [{entities}]>{_robot(_LINK.format('&e8;', ''))}",
            f'<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>{_robot(_LINK.format("&e;", ""))}',
        )
    )
    return {own: text}


def chain(links: int) -> str:
    """Return the URDF of a robot with so many links in a row, `link_0` first."""
    parts = [_LINK.format(f"link_{number}", _SHAPE) for number in range(links)]
    parts += [
        f'<joint name="joint_{number}" type="continuous"><parent link="link_{number - 1}"/>'
        f'<child link="link_{number}"/><origin xyz="0.2 0 0"/></joint>'
        for number in range(1, links)
    ]
    return _robot("".join(parts))


def _including(other: str, times: int) -> str:
    return _robot(f'<xacro:include filename="{other}"/>' * times)


def _robot(content: str, name: str = "r") -> str:
    return f'<robot name="{name}" xmlns:xacro="http://www.ros.org/wiki/xacro">{content}</robot>'


def _aliases(levels: int, collection: str, key: str) -> str:
    """Return a short YAML mapping with the anchors `a0`, `a1`, ...; each repeats the previous anchor nine times."""
    entries = []
    for level in range(levels):
        items = ", ".join(key.format(number) + (f"*a{level - 1}" if level else "x") for number in range(9))
        entries.append(f"x{level}: &a{level} {collection.format(items)}")
    return f"{{{', '.join(entries)}}}"
