"""Draws triangles: two drawers behind one interface (`drawer`), and what they need: meshes, lenses, light.

Fields, worlds and simulators are known outside this folder only.
"""
