"""Tuning: records choose schedules, and relayopt has none. Contexts of records are accepted, so that code with them runs, and say so."""

import warnings

from .._missing import missing


class DispatchContext:
    """What looks configurations up while a model is built: nothing here asks it."""

    current = None

    def __init__(self):
        self.memory = {}
        self._before = []

    def query(self, target, workload):
        """The configuration of a workload."""
        return self._query_inside(target, workload)

    def _query_inside(self, target, workload):
        raise NotImplementedError("tvm.autotvm: relayopt has no schedules to configure")

    def __enter__(self):
        self._before.append(DispatchContext.current)
        DispatchContext.current = self
        warnings.warn("tvm.autotvm: relayopt generates no code, so what is tuned has no effect", stacklevel=2)
        return self

    def __exit__(self, *_):
        DispatchContext.current = self._before.pop()


class FallbackContext(DispatchContext):
    """Configurations for workloads without records."""


class ApplyHistoryBest(DispatchContext):
    """The best of the records of a file."""

    def __init__(self, records):
        super().__init__()
        self.records = records


apply_history_best = ApplyHistoryBest
__getattr__ = missing("tvm.autotvm", "relayopt generates no code, so there is nothing to tune")
