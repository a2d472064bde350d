"""Models learned from measurements: of motors, of the motion of robots on wheels, of what sensors read at each pose."""
