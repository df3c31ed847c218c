"""What `relay` has for tests only: its part `testing`."""
