"""Compiles the kernels, and builds the ROS 2 messages with CMake; all else about the package is in pyproject.toml.

The same CMakeLists.txt serves colcon. Here it installs into a staging folder. Of that, the Python code of the messages
goes into the package, and the libraries, executables and shared files go to where a ROS 2 prefix has them: the wheel
installs them as lib/ and share/ of the environment.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

from Cython.Build import cythonize
from setuptools import Command, Distribution, Extension, setup
from setuptools.command.build import build

NAME = "simspark_ros"
SOURCE = Path(__file__).resolve().parent

WITHOUT_ROS = "SIMSPARK_WITHOUT_ROS"
"""Environment variable: not empty, no messages are built, which need compilers and ROS 2's generators."""

SHARED_BY_KERNELS = "_shared"
"""Module that Cython writes beside the kernels, with what all of them need."""

SHARED = ("launch", "urdf", "config", "rviz")
"""Folders that CMakeLists.txt installs into share/ beside the messages."""

# Parts of a ROS 2 prefix that are of no use in a wheel: files for C and C++ programs, and files that hold the path of
# the staging folder.
UNWANTED = (
    "include",
    "share/ament_index/resource_index/parent_prefix_path",
    f"share/{NAME}/cmake",
    f"share/{NAME}/environment",
    f"share/{NAME}/local_setup.*",
    f"share/{NAME}/package.dsv",
)


def ros_prefixes() -> list[str]:
    """Return the prefixes to search for ROS 2 packages: the one that the message generator was imported from, first."""
    spec = importlib.util.find_spec("rosidl_generator_py")
    if spec is None or spec.origin is None:
        raise SystemExit("rosidl_generator_py is missing: build with pip, which installs what pyproject.toml requires.")
    prefix = str(Path(spec.origin).resolve().parents[4])
    sourced = [path for path in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if path]
    # A sourced ROS 2 must not be mixed with the wheels of an isolated build, unless it is where the generator is from.
    return [prefix, *(path for path in sourced if path != prefix)] if prefix in sourced else [prefix]


def kernels() -> list[Extension]:
    """Return the modules of simspark_ros/kernels as extensions; without a compiler they run as they are, slower."""
    # Numbers are rounded after every operation: on no processor is a multiplication fused with an addition.
    flags = [] if os.name == "nt" else ["-ffp-contract=off"]
    if flags and not os.environ.get("CFLAGS"):
        flags += ["-O2", "-g0"]
    folder = Path(NAME, "kernels")
    # What all kernels need is written and compiled once.
    shared = folder / f"{SHARED_BY_KERNELS}.c"
    sources = sorted(folder.rglob("[a-z]*.py"))
    extensions = [
        Extension(_module(path), [str(path)], extra_compile_args=flags, optional=True) for path in (*sources, shared)
    ]
    compiled: list[Extension] = cythonize(
        extensions,
        quiet=True,
        compiler_directives={"auto_pickle": False, "emit_code_comments": False},
        shared_utility_qualified_name=_module(shared),
    )
    ode = Path(NAME, "physics", "ode")
    # Python loads it by ctypes.
    native = Extension(f"{NAME}.physics.ode._native", [str(ode / "native.c")], extra_compile_args=flags, optional=True)
    return [*compiled, native]


def _module(source: Path) -> str:
    return ".".join(source.with_suffix("").parts)


class BuildInterfaces(Command):
    """Runs CMake and spreads what it installs over the wheel.

    A command of its own beside build_py, because setuptools hides the errors of a customised build_py in an editable
    installation.
    """

    description = "build the ROS 2 messages and services"
    user_options: ClassVar[list[tuple[str, str | None, str]]] = []
    editable_mode = False
    build_lib: str | None = None
    build_temp: str | None = None
    started: Future[Path] | None = None

    def initialize_options(self) -> None:
        """Leave all folders to the build command."""

    def finalize_options(self) -> None:
        """Take the folders from the build command."""
        self.set_undefined_options("build", ("build_lib", "build_lib"), ("build_temp", "build_temp"))

    def run(self) -> None:
        """Build, then put the Python code and the other files where the wheel takes them from."""
        if os.environ.get(WITHOUT_ROS):
            files = [path for folder in SHARED for path in (SOURCE / folder).rglob("*") if path.is_file()]
            self.distribution.data_files = [
                (f"share/{NAME}/{path.parent.relative_to(SOURCE)}", [os.path.relpath(path, SOURCE)]) for path in files
            ]
            return
        stage = self.started.result() if self.started else self.run_cmake()
        modules = next(stage.glob(f"**/*-packages/{NAME}"))
        generated = [modules / "msg", modules / "srv", modules / "action", *modules.glob("*.so")]
        files = [path for path in stage.rglob("*") if path.is_file() and modules.parent not in path.parents]
        if self.editable_mode:
            # The wheel holds nothing but what lies in these folders: the package's own modules stay in the checkout.
            install = self.get_finalized_command("install")
            self.copy_all(generated, Path(install.install_lib) / NAME, modules)
            self.copy_all(files, Path(install.install_data), stage)
        else:
            self.copy_all(generated, Path(self.build_lib or "") / NAME, modules)
            self.distribution.data_files = [
                (str(path.parent.relative_to(stage)), [os.path.relpath(path, SOURCE)]) for path in files
            ]

    def start(self) -> None:
        """Begin to run CMake beside the commands before this one: its generators use one processor alone."""
        self.started = ThreadPoolExecutor(1).submit(self.run_cmake)

    def run_cmake(self) -> Path:
        """Build with CMake and return the folder that it installed into."""
        folder = Path(self.build_temp or "").resolve() / "interfaces"
        # The paths in a kept build would be those of an earlier build environment, which pip has removed since.
        shutil.rmtree(folder, ignore_errors=True)
        stage = folder / "stage"
        prefixes = os.pathsep.join(ros_prefixes())
        environment = {**os.environ, "AMENT_PREFIX_PATH": prefixes, "CMAKE_PREFIX_PATH": prefixes}
        configure = ["cmake", "-S", str(SOURCE), "-B", str(folder / "build"), "-DPYTHON_ONLY=ON", "-DKERNELS=OFF"]
        configure += [
            "-DBUILD_TESTING=OFF",
            f"-DCMAKE_INSTALL_PREFIX={stage}",
            f"-DPython3_EXECUTABLE={sys.executable}",
        ]
        if not os.environ.get("CFLAGS"):
            # Compiles in four fifths of the time; messages only copy.
            configure.append("-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
        subprocess.run(configure, check=True, env=environment)
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", folder / "build", "--parallel", jobs], check=True, env=environment)
        subprocess.run(["cmake", "--install", folder / "build"], check=True, env=environment)
        for pattern in UNWANTED:
            for path in stage.glob(pattern):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        return stage

    @staticmethod
    def copy_all(paths: list[Path], target: Path, base: Path) -> None:
        """Copy files and folders that lie below base to the same place below target."""
        unwanted = shutil.ignore_patterns("*.c", "__pycache__")
        for path in paths:
            destination = target / path.relative_to(base)
            destination.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, destination, dirs_exist_ok=True, ignore=unwanted)
            else:
                shutil.copy2(path, destination)

    def get_source_files(self) -> list[str]:
        """Return what the build reads, for a source distribution."""
        return [
            os.path.relpath(path, SOURCE) for folder in ("msg", "srv", "action") for path in (SOURCE / folder).iterdir()
        ]

    def get_outputs(self) -> list[str]:
        """Return nothing: setuptools asks only in order to link single files into a checkout."""
        return []

    def get_output_mapping(self) -> dict[str, str]:
        """Return nothing, for the same reason."""
        return {}


class StartInterfaces(Command):
    """Lets `build_interfaces` begin."""

    description = "begin to build the ROS 2 messages and services"
    user_options: ClassVar[list[tuple[str, str | None, str]]] = []

    def initialize_options(self) -> None:
        """Have no options."""

    def finalize_options(self) -> None:
        """Have no options."""

    def run(self) -> None:
        """Start CMake, if there are messages to build."""
        if not os.environ.get(WITHOUT_ROS):
            self.get_finalized_command("build_interfaces").start()


class Build(build):
    """The usual build and, beside it, the messages."""

    sub_commands: ClassVar = [("start_interfaces", None), *build.sub_commands, ("build_interfaces", None)]


class BinaryDistribution(Distribution):
    """A distribution with compiled code, so that its wheel is for one Python version and platform only."""

    def has_ext_modules(self) -> bool:
        """Return True: the messages have extension modules, too, which setuptools does not know of."""
        return True


setup(
    # pip cannot be told to compile kernels side by side.
    options={"build_ext": {"parallel": True}},
    distclass=BinaryDistribution,
    ext_modules=kernels(),
    cmdclass={"build": Build, "build_interfaces": BuildInterfaces, "start_interfaces": StartInterfaces},
)
