"""Named targets."""

from .target import list_tags, register_tag
