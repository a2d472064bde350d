# Types of listed_contacts.py.

from simspark_ros.kernels.touches cimport TouchSums
