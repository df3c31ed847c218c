"""Attributes of operators for a while."""

from __future__ import annotations

from ...ir.op import Op, register_op_attr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TempOpAttr:
    """Inside of `with`, an operator has another attribute."""

    def __init__(self, op_name: str, attr_key: str, attr_value: Any) -> None:
        self.op = Op.get(op_name)
        self.attr_key, self.attr_value = attr_key, attr_value
        if not self.op.has_attr(attr_key):
            register_op_attr(op_name, attr_key, attr_value)

    def __enter__(self) -> TempOpAttr:
        self.older_attr = self.op.get_attr(self.attr_key)
        self.op.reset_attr(self.attr_key)
        self.op.set_attr(self.attr_key, self.attr_value)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        self.op.reset_attr(self.attr_key)
        if self.older_attr is not None and self.older_attr is not self.attr_value:
            self.op.set_attr(self.attr_key, self.older_attr)
