"""What layout inference of an operator gives."""


class InferCorrectLayoutOutput:
    """Layouts of inputs and outputs, and the attributes that go with them."""

    def __init__(self, input_layouts, output_layouts, new_attrs):
        self.input_layouts, self.output_layouts, self.new_attrs = list(input_layouts), list(output_layouts), new_attrs
