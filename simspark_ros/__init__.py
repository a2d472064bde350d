"""SimSpark for ROS 2: a deterministic robot soccer simulator that speaks ROS 2 and the classic SimSpark protocols.

The rooms of this package and what each may import are described in ARCHITECTURE.md. `simspark_ros.msg` and
`simspark_ros.srv` are generated from the .msg and .srv files when the package is built.
"""

from pkgutil import extend_path

__version__ = "0.3.0"

# In a development install these sources are imported from the checkout, while the generated messages are installed in
# a folder of the same name elsewhere on sys.path. Everywhere else both lie in one folder and this changes nothing.
__path__ = extend_path(__path__, __name__)
