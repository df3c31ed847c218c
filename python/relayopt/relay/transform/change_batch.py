"""Another batch size for inputs."""

from __future__ import annotations

from ...ir.tensor_type import TensorType
from ...ir.transform import function_pass
from ..binding import bind
from ..expr import Var
from ..function import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def change_batch(data: Any, batch_size: int = 16) -> Any:
    """A pass that gives variables another extent on their batch axis."""

    @function_pass(opt_level=1, name="ChangeBatch")
    def run(func: Any, mod: Any, ctx: Any) -> Any:
        names = {(k.name_hint if isinstance(k, Var) else str(k)): axis for k, axis in data.items()}
        binds, params = {}, []
        for param in func.params:
            new = param
            if param.name_hint in names:
                shape = list(param.type_annotation.shape)
                shape[names[param.name_hint]] = batch_size
                new = Var(param.name_hint, TensorType(shape, param.type_annotation.dtype))
                binds[param] = new
            params.append(new)
        return Function(params, bind(func.body, binds), None, list(func.type_params), func.attrs)

    return run
