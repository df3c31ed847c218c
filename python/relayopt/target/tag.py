"""Named targets."""

from __future__ import annotations

from .target import list_tags as list_tags, register_tag as register_tag
