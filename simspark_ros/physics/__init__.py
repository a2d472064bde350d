"""Rigid-body worlds behind one protocol: articulated models, static scenes and the engines that step them."""
