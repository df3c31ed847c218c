"""Choosing between external compilers by cost."""


class MockCostEstimator:
    """Costs by the name of the target."""

    def __init__(self, target_costs, max_estimates=0):
        self.target_costs, self.max_estimates = target_costs, max_estimates


class CostEstimator:
    """Measures what candidates cost."""

    def estimate(self, mod, target):
        raise NotImplementedError("costs are measured by running generated code, which relayopt has none of")
