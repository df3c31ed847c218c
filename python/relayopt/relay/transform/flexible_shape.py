"""Dispatching to one of several functions by the extent of an input."""


def FlexibleShapeDispatch(*args, **kwargs):
    raise NotImplementedError("FlexibleShapeDispatch is not part of relayopt yet")
