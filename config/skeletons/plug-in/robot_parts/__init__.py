"""Plug-ins for simspark_ros: a sensor, an actuator, a rule, a control node, a sub-command and an engine."""
