"""Time for programs beside the simulator: clocks compared, and a clock with timers that goes on between messages."""

from simspark_ros.ros.clocks.client import ClientClock, ClientTimer
from simspark_ros.ros.clocks.comparison import ClockComparison, ClockExchange

__all__ = ["ClientClock", "ClientTimer", "ClockComparison", "ClockExchange"]
