"""Where MuJoCo keeps contacts and constraint rows: in its arena, rows at other places in every step.

MuJoCo's bindings make a new array at every look at them, which takes longer than most loops over them. So the arena is
bound once, and the places of the rows are read from `mjData` itself, which has a pointer to each array.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from simspark_ros.kernels.constraint_rows import ArenaRows
from simspark_ros.physics.errors import PhysicsError

_ROWS = ("vel", "aref", "R", "D", "pos", "id", "J_rowadr", "J", "force")
_CONTACTS = ("geom", "pos", "dist", "frame", "efc_address", "mu", "friction")

# Contacts and rows: what each pointer points to tells which one it is, the same in every world.
_SAMPLE = """<mujoco><option jacobian="sparse"/><worldbody><geom type="plane" size="1 1 1"/>
<body><freejoint/><geom size=".1"/>
<body><joint name="a" frictionloss="1" range="1 2" limited="true"/><geom size=".1"/></body></body></worldbody>
<tendon><fixed limited="true" range="1 2"><joint joint="a" coef="1"/></fixed></tendon>
<equality><joint joint1="a"/></equality></mujoco>"""
_WORD, _MOST = 8, 1 << 15
"""Bytes of a pointer, and words of `mjData` that are looked at; in MuJoCo 4.0 the last pointer is word 20,262."""


@cache
def _layout() -> tuple[int, dict[str, int], dict[str, NDArray[Any]], int]:
    """Words of `mjData` that point to the contacts and to rows, fields of a contact, and where it begins."""
    model = mujoco.MjModel.from_xml_string(_SAMPLE)
    data: Any = mujoco.MjData(model)
    mujoco.mj_step1(model, data)
    fields = {name: getattr(data.contact, name) for name in _CONTACTS}
    begin = min(map(_address, fields.values()))
    rows = {name: _address(getattr(data, f"efc_{name}")) for name in _ROWS}
    wanted, words = {begin, *rows.values()}, dict[int, int]()
    # A null pointer is no place.
    for number in range(0 if 0 in wanted else _MOST):
        address = ctypes.c_int64.from_address(data._address + _WORD * number).value
        if address in wanted:
            # An empty array has the address of the one behind it.
            words[address] = number
            # Nothing behind the last one is looked at: it may lie outside of `mjData`.
            if len(words) == len(wanted):
                break
    else:
        why = "has an unknown layout of memory; install the version that constraints.txt names"
        raise PhysicsError(f"physics engine 'mujoco': MuJoCo {mujoco.__version__} {why}")
    return words[begin], {name: words[address] for name, address in rows.items()}, fields, begin


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


class StepMemory:
    """Views of the arena of one MjData, which has to live as long.

    Attributes:
        rows: the constraint rows.
        contacts: arrays by MuJoCo's names, with room for all contacts that the arena holds; it begins with them.
    """

    def __init__(self, data: Any) -> None:
        contacts, rows, fields, begin = _layout()
        memory: Any = (ctypes.c_int64 * (max(contacts, *rows.values()) + 1)).from_address(data._address)
        words = np.frombuffer(memory, np.int64)
        memory = (ctypes.c_char * data.narena).from_address(int(words[contacts]))
        stride = fields["dist"].strides[0]
        self.contacts: dict[str, NDArray[Any]] = {
            name: np.ndarray(
                (data.narena // stride, *field.shape[1:]), field.dtype, memory, _address(field) - begin, field.strides
            )
            for name, field in fields.items()
        }
        numbers, indices = np.frombuffer(memory, np.float64), np.frombuffer(memory, np.int32)
        self.rows = ArenaRows(words=words, begin=int(words[contacts]), numbers=numbers, indices=indices, **rows)
