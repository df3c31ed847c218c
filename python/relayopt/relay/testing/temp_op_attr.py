"""Attributes of operators for a while."""

from ...ir.op import Op, register_op_attr


class TempOpAttr:
    """Inside of `with`, an operator has another attribute."""

    def __init__(self, op_name, attr_key, attr_value):
        self.op = Op.get(op_name)
        self.attr_key, self.attr_value = attr_key, attr_value
        if not self.op.has_attr(attr_key):
            register_op_attr(op_name, attr_key, attr_value)

    def __enter__(self):
        self.older_attr = self.op.get_attr(self.attr_key)
        self.op.reset_attr(self.attr_key)
        self.op.set_attr(self.attr_key, self.attr_value)
        return self

    def __exit__(self, kind, value, trace):
        self.op.reset_attr(self.attr_key)
        if self.older_attr is not None and self.older_attr is not self.attr_value:
            self.op.set_attr(self.attr_key, self.older_attr)
