"""Running programs."""

from . import executor_factory, interpreter, te_compiler
from .executor import Executor
from .runtime import Runtime
from . import executor, runtime, vm, name_transforms, utils
