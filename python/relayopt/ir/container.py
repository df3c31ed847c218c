from ..runtime.container import Array, Map
