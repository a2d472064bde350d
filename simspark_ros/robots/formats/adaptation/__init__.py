"""Makes plain URDF of robot makers' files: meshes, mimic joints, missing numbers, Gazebo's sensors."""
