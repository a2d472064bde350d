"""Texts of pages of nodes that the code lacks: lines on topics of others' types, and examples of calls."""

from __future__ import annotations

LINES = {
    "* /clock": "Simulated time, once a cycle; more often with `clock_rate`",
    "* /clock_request": (
        "A program asks for the time of the clock named in `source`, `simulated` or `wall`; the message has the "
        "program's own time and name"
    ),
    "* /clock_answer": "The answer to that message, at once: the same message with the clock's time in `time_ref`",
    "* /diagnostics": (
        "Once a second of wall time: real-time factor, late cycles, rejections by name; `config/diagnostics.yaml` "
        "groups them for diagnostic_aggregator"
    ),
    "* /*/transition_event": "Any change of the life cycle's state",
    "* /*/get_state": "The life cycle's state",
    "* /*/change_state": "Carries out a transition by its label or number; the reason of a refusal is logged",
    "* /*/get_available_states": "All states of the life cycle",
    "* /*/get_available_transitions": "The transitions from the current state",
    "* /*/get_transition_graph": "All transitions",
    "* /camera_processes": "Signs of life of camera processes, which share the cameras, twice a second of wall time",
    "* /scene_world": "Looks of the world, as a line of JSON: its file with all changes, without robots and rules; "
    "sent at the start and whenever another world is loaded",
    "* /scene_models": "Looks and cameras of the robots of `scene`, as lines of JSON: one for each kind, with its name "
    "in `models` and its variant, and one for each robot whose cameras differ from its kind's, by its name in `names`. "
    "Sent before robots of a new kind come, and when cameras change",
    "* /game/robot_types": "Types of robots drawn for the match, as JSON (docs/how_to/heterogeneous.md); "
    "once, and kept for late subscribers",
    "* <robot>/robot_description": "URDF; once, and kept for late subscribers",
    "* <robot>/tf_static": "Fixed transforms of `tf`; once, and kept for late subscribers",
    "publisher <robot>/imu": "Gyroscope and accelerometer as the driver of the real Nao has them: -9.8 upward at rest",
    "publisher <robot>/imu/data_raw": "Readings of gyroscope and accelerometer of the base link, +g up at rest "
    "(REP-145); another link or frame that carries one of them has the two topics below `imu/<link>/`",
    "publisher <robot>/imu/data": "The same with the true orientation in `map`",
    "publisher <robot>/imu/*/data_raw": "Readings of gyroscope and accelerometer of another link or frame",
    "publisher <robot>/imu/*/data": "The same with the true orientation in `map`",
    "publisher <robot>/temperature": "Temperature of the robot, degrees Celsius; a trainer may set it",
    "publisher <robot>/battery_state": "Charge of the robot's battery as a fraction; a trainer may set it",
    "publisher <robot>/sensors/*": "As the driver of the real Nao publishes this topic",
    "subscription <robot>/effectors/*": "As the driver of the real Nao takes this topic",
    "subscription <robot>/joint_command": "Positions, velocities and efforts of any joints, by name",
    "subscription <robot>/joint_commands": "The same under the other name that ros2_control's topic hardware uses",
    "subscription <robot>/joint_trajectory_controller/joint_trajectory": "Trajectory that the simulator follows; "
    "left out with the parameter `ros2_control`",
    "publisher <robot>/*camera_info": "Size and lens, model `plumb_bob`, or `unified` with a mirror",
    "publisher <robot>/*depth/image_raw": "32FC1, m along the optical axis; NaN where nothing is measured (REP-118)",
    "publisher <robot>/*depth/image_raw/compressedDepth": "For image_transport's plug-in of that name, up to 10 m",
    "publisher <robot>/*depth/points": "x, y, z, rgb, a point for each pixel, in the optical frame",
    "publisher <robot>/*segmentation/image_raw": "16UC1: the label of each pixel's object",
    "publisher <robot>/*segmentation/labels": "Names of the labels as JSON; sent again when robots come and go",
    "publisher <robot>/*/image_raw": "The picture, rgb8",
    "publisher <robot>/*/image_raw/compressed": "JPEG or PNG, for image_transport's plug-in `compressed`",
    "publisher <robot>/pass": "The player asks for the pass mode",
    "publisher <robot>/joint_command": "Velocities of all joints",
    "subscription <robot>/imu/data_raw": "Gyroscope and accelerometer",
    "subscription <robot>/joint_states": "Positions of the joints",
}
"""Role and name, with `*` for anything -> line; the first that fits. Without a line, the code or the type speaks."""

EXAMPLES = {
    "<robot>/joint_trajectory_controller/follow_joint_trajectory": "{trajectory: {joint_names: [hj1], "
    "points: [{positions: [0.5], time_from_start: {sec: 1}}]}}",
    "set_simulation_state": "{state: {state: 2}}",
    "spawn_entity": "{name: keeper, entity_resource: {uri: nao/4}}",
    "spawn_entities": "{spawn_requests: [{name: left, entity_resource: {uri: sphere}}, {name: right, "
    "entity_resource: {uri: sphere}, initial_pose: {pose: {position: {x: 2.0}}}}]}",
    "game/join_team": "{entity: keeper, team: Reds, unum: 1}",
    "get_entities": "{filters: {filter: 'keeper|ball'}}",
    "get_entities_states": "{filters: {filter: 'keeper|ball'}}",
    "get_entity_state": "{entity: ball}",
    "set_entity_state": "{entity: ball, set_pose: true, set_twist: true, "
    "state: {pose: {position: {x: -3.0}}, twist: {linear: {x: 2.0}}}}",
    "get_entity_info": "{entity: keeper}",
    "set_entity_info": "{entity: keeper, info: {description: the best, tags: [mine]}}",
    "get_entity_bounds": "{entity: keeper}",
    "get_named_poses": "{tags: {tags: [goal]}}",
    "get_named_pose_bounds": "{name: centre}",
    "get_spawnables": "",
    "game/kick_off": "{team: 1}",
    "game/set_play_mode": "{play_mode: PlayOn}",
    "game/drop_ball": "",
    "game/overrule": "{number: 1}",
    "get_simulation_state": "",
    "step_simulation": "{steps: 10}",
    "simulate_steps": "{steps: 20}",
    "reset_simulation": "{scope: 2}",
    "delete_entity": "{entity: keeper}",
    "bridge/change_state": "{transition: {label: activate}}",
    "simulator/change_state": "{transition: {label: activate}}",
    "get_available_worlds": "{filter: {tags: [soccer]}}",
    "load_world": "{world_resource: {uri: msl}}",
    "get_current_world": "",
    "unload_world": "",
}
"""Service or action -> request of the example; called in this order, none is refused (a test does)."""

STANDARD = {
    "opende": "the engine `ode`",
    "simulation_interfaces": "the standard's own types of the services above, which other programs use",
    "control_msgs": "the type of FollowJointTrajectory that other programs use",
    "nao_lola_sensor_msgs": "`sensors/...` of `nao_lola`",
    "nao_lola_command_msgs": "`effectors/...` of `nao_lola`",
    "soccer_vision_2d_msgs": "`vision_2d/...` in the types that other packages use",
    "soccer_vision_3d_msgs": "`vision_3d/...` in the types that other packages use",
    "soccer_model_msgs": "`model/...` in the types that other packages use",
    "visualization_msgs": "`world_markers`",
}
"""Packages of package.xml without which only some topics or types are missing, and what they are for."""

OPTIONAL = {
    "robot_state_publisher": "`robot.launch.py robot_state_publisher:=true`",
    "rviz2": "`use_rviz:=true` of launch files",
    "teleop_twist_keyboard": "driving a robot by `cmd_vel` from the keyboard",
    "diagnostic_aggregator": "groups of `/diagnostics`, by `config/diagnostics.yaml`",
}
