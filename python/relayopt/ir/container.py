from ..runtime.container import Array as Array, Map as Map
