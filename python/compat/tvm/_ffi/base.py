"""Old names."""

import numbers

from relayopt.error import TVMError, register_error

string_types = (str,)
integer_types = (int,)
numeric_types = (float, int)


def py_str(x):
    return x.decode("utf-8")


def c_str(x):
    return x.encode("utf-8")
