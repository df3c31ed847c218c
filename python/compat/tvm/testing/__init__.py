"""Helpers for tests."""

from .utils import *
from .utils import _auto_parametrize_target, _target_to_requirement
from . import plugin, utils
