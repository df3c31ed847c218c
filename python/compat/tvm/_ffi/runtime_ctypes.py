"""Old names of values of the runtime."""

from relayopt.runtime.device import Device
