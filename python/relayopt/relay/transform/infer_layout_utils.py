"""What layout inference of an operator gives."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class InferCorrectLayoutOutput:
    """Layouts of inputs and outputs, and the attributes that go with them."""

    def __init__(self, input_layouts: Any, output_layouts: Any, new_attrs: Any) -> None:
        self.input_layouts, self.output_layouts, self.new_attrs = list(input_layouts), list(output_layouts), new_attrs
