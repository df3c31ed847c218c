"""What the documentation of builders that come from the table says besides: their attributes, and an example each.

A row is `builder: shapes of inputs; attributes -> type of the result`. What it says is run by a test.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_ROWS = """
add: lhs(2, 3), rhs(3) -> Tensor[(2, 3), float32]
less: lhs(2, 3), rhs(2, 1) -> Tensor[(2, 3), bool]
tanh: x(2, 3) -> Tensor[(2, 3), float32]
sum: data(2, 3, 4); axis=[1, 2], keepdims=True -> Tensor[(2, 1, 1), float32]
argmax: data(2, 3); axis=1 -> Tensor[(2), int32]
cast: data(2, 3); "int8" -> Tensor[(2, 3), int8]
clip: a(2, 3); 0, 6 -> Tensor[(2, 3), float32]
transpose: data(2, 3, 4); axes=(2, 0, 1) -> Tensor[(4, 2, 3), float32]
layout_transform: data(1, 16, 8, 8); "NCHW", "NCHW4c" -> Tensor[(1, 4, 8, 8, 4), float32]
nn.conv1d: data(1, 3, 9), weight(16, 3, 3); strides=2 -> Tensor[(1, 16, 4), float32]
nn.conv2d: data(1, 3, 8, 8), weight(16, 3, 3, 3); padding=(1, 1) -> Tensor[(1, 16, 8, 8), float32]
nn.conv2d_transpose: data(1, 3, 8, 8), weight(3, 16, 2, 2); strides=(2, 2), kernel_size=(2, 2), channels=16 -> Tensor[(1, 16, 16, 16), float32]
nn.conv3d: data(1, 3, 8, 8, 8), weight(16, 3, 3, 3, 3) -> Tensor[(1, 16, 6, 6, 6), float32]
nn.dense: data(2, 3), weight(4, 3) -> Tensor[(2, 4), float32]
nn.batch_matmul: tensor_a(5, 2, 3), tensor_b(5, 4, 3) -> Tensor[(5, 2, 4), float32]
nn.matmul: tensor_a(2, 3), tensor_b(3, 4) -> Tensor[(2, 4), float32]
nn.bias_add: data(1, 16, 8, 8), bias(16) -> Tensor[(1, 16, 8, 8), float32]
nn.relu: data(2, 3) -> Tensor[(2, 3), float32]
nn.softmax: data(2, 3); axis=1 -> Tensor[(2, 3), float32]
nn.max_pool2d: data(1, 16, 8, 8); pool_size=2, strides=2 -> Tensor[(1, 16, 4, 4), float32]
nn.global_avg_pool2d: data(1, 16, 8, 8) -> Tensor[(1, 16, 1, 1), float32]
nn.layer_norm: data(2, 3), gamma(3), beta(3) -> Tensor[(2, 3), float32]
nn.batch_norm: data(1, 3, 8, 8), gamma(3), beta(3), moving_mean(3), moving_var(3) -> (Tensor[(1, 3, 8, 8), float32], Tensor[(3), float32], Tensor[(3), float32])
image.grid_sample: data(1, 3, 8, 8), grid(1, 2, 4, 4) -> Tensor[(1, 3, 4, 4), float32]
qnn.op.quantize: data(2, 3), output_scale(), output_zero_point():int32; axis=1 -> Tensor[(2, 3), int8]
qnn.op.dense: data(2, 3):int8, weight(4, 3):int8, input_zero_point():int32, kernel_zero_point():int32, input_scale(), kernel_scale(); units=4 -> Tensor[(2, 4), int32]
"""

def _shape(text: str) -> str:
    return text[:-1] + ",)" if text[1:-1].isdigit() else text


def _example(head: str, row: str) -> str:
    call, _, result = row.rpartition(" -> ")
    inputs, _, attributes = call.partition(";")
    import re

    found = re.findall(r"(\w+)(\([\d, ]*\))(?::(\w+))?", inputs)
    made = [f'>>> {name} = relay.var("{name}", shape={_shape(shape)}' + (f', dtype="{dtype}")' if dtype else ")")
            for name, shape, dtype in found]
    arguments = ", ".join([name for name, _, _ in found] + ([attributes.strip()] if attributes else []))
    unpacked = ".astuple()" if result.startswith("(") else ""
    return "\n".join([*made, f">>> call = relay.{head}({arguments}){unpacked}", ">>> relay.transform.InferTypeLocal(call)", result])


_rows: dict[Any, Any] = {}


def documentation(head: str, op: str, doc: str, fields: Sequence[tuple[str, str]]) -> str:
    """The documentation of the builder `head` of an operator; `fields` are (parameter, what it is)."""
    if not _rows:
        for line in _ROWS.strip().split("\n"):
            name, _, row = line.partition(":")
            _rows[name] = row.strip()
    parts = [f"{doc[:1].upper()}{doc[1:]}.", f"A call of `{op}`."]
    if fields:
        parts[1] += " Attributes:\n" + "".join(f"\n    {name}: {what}" for name, what in fields if what)
    if head in _rows:
        parts.append(_example(head, _rows[head]))
    return "\n\n".join(parts)
