"""Named targets."""

