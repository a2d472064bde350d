"""The arithmetic and the texts of the hot path as loops: plain Python, which Cython compiles where there is a compiler.

A kernel is bound once to the arrays and texts that it works on, so that a call costs little. It is one source of truth:
uncompiled it gives equal results to the bit, but is many times slower. Numbers are rounded after every operation, so
that they do not depend on the code that numpy chooses for a processor; sines come from the C library.

Types stand in the source, or in a `.pxd` file beside it, where kernels use each other's objects.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

if find_spec("cython") is None:
    from simspark_ros.kernels._without_cython import install

    install()


@cache
def compiled() -> bool:
    """Whether all kernels are compiled."""
    folder = Path(__file__).parent
    modules = [path.relative_to(folder).with_suffix("") for path in folder.rglob("[a-z]*.py")]
    specs = [find_spec(".".join((__name__, *module.parts))) for module in (*modules, Path("_shared"))]
    return all(spec is not None and not str(spec.origin).endswith(".py") for spec in specs)
