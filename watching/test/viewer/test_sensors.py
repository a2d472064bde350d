import math
import re

from simspark_ros.protocol.monitor.inspection import InspectedKind, Readings
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_watching.viewer.panels.sensors import NOTHING, UNITS, table_of

NAN = math.nan


def rows(sensors: dict[str, float]) -> list[tuple[str, list[str]]]:
    html = table_of(InspectedKind("", sensors=tuple(sensors)), Readings(0, 1.0, sensors=tuple(sensors.values())))
    cells = [re.findall("<td>(.*?)</td>", row) for row in html.split("<tr>")[1:]]
    return [(name, re.findall("<span>(.*?)</span>", values)) for name, values in cells]


def test_a_row_has_units_and_names_of_values_unless_they_are_axes():
    sensors = {f"gyroscope torso {axis}": value for axis, value in zip("xyz", (0.1, -2.0, 0.00001), strict=True)}
    sensors |= {"agent_state agent_state temperature": 25.0, "agent_state agent_state battery": 100.0}
    sensors |= {"touch <b> touching": 1.0}
    assert rows(sensors) == [
        ("gyroscope torso, rad/s", ["0.1", "-2", "1e-05"]),
        ("agent_state", ["temperature 25 °C", "battery 100 %"]),
        ("touch &lt;b&gt;", ["1"]),
    ]


def test_a_sensor_without_a_contact_shows_dashes_and_one_of_many_values_their_span():
    contact = {f"force_resistance rf {name}": NAN for name in ("px", "fx")}
    scan = {"laser scan period": 0.02} | {f"laser scan range{beam}": 1.0 + beam for beam in range(360)}
    scan["laser scan range7"] = NAN
    many = {f"lola lola value_{chr(97 + one)}": 0.0 for one in range(20)}
    assert rows(contact | scan | many) == [
        ("force_resistance rf", [f"px {NOTHING}", f"fx {NOTHING}"]),
        ("laser scan", ["period 0.02 s", "range 1 to 360 m (360)"]),
        ("lola", ["20 values, to be plotted"]),
    ]


def test_units_are_those_of_the_values_that_sensors_have():
    for kind, units in UNITS.items():
        columns = PERCEPTORS[kind].columns or ("period", "range0")
        assert isinstance(units, str) or {column.rstrip("0123456789") for column in columns} == set(units)
