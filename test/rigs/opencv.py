"""OpenCV, imported without what its import does to the environment of all processes that tests start later.

It puts a folder of its own into LD_LIBRARY_PATH; processes would then not be copies of a warm one (`warm`).
"""

import os
from unittest import mock

with mock.patch.dict(os.environ):
    import cv2 as cv2
