"""Makes plain URDF of what makers of robots write: meshes, mimic joints, numbers that are missing, Gazebo's sensors."""
