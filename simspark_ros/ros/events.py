"""Names of rclpy that moved between distributions: events are in `rclpy.event_handler` since Iron, before elsewhere."""

from __future__ import annotations

try:
    from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
except ImportError:
    from rclpy.qos_event import PublisherEventCallbacks, SubscriptionEventCallbacks

__all__ = ["PublisherEventCallbacks", "SubscriptionEventCallbacks"]
