"""Target descriptions: `llvm -mcpu=skylake`, dictionaries, tags."""

from __future__ import annotations

import json
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Name: (default keys, device type, options with their types).
_COMMON: dict[str, Any] = {"libs": list, "device": str, "model": str, "mcpu": str, "mattr": list, "tag": str,
                           "from_device": int}
_CPU = {"mabi": str, "mfloat-abi": str, "mtriple": str, "fast-math": bool, "fast-math-nnan": bool, "fast-math-ninf": bool,
        "fast-math-nsz": bool, "fast-math-arcp": bool, "fast-math-contract": bool, "fast-math-reassoc": bool,
        "opt-level": int, "cl-opt": list, "num-cores": int, "runtime": str, "system-lib": bool, "interface-api": str,
        "unpacked-api": bool, "link-params": bool, "executor": str, "vector-width": int, "march": str,
        "workspace-byte-alignment": int, "constants-byte-alignment": int, "arch": str}
_GPU = {"arch": str, "max_num_threads": int, "max_threads_per_block": int, "max_shared_memory_per_block": int,
        "thread_warp_size": int, "registers_per_block": int, "texture_spatial_limit": int, "l2_cache_size_bytes": int,
        "max_function_args": int, "mtriple": str, "system-lib": bool, "supports_float16": bool, "supports_int8": bool}
_KINDS: dict[str, tuple[list[str], int, dict[str, Any]]] = {
    "llvm": (["cpu"], 1, _CPU),
    "c": (["cpu"], 1, {**_CPU}),
    "cuda": (["cuda", "gpu"], 2, _GPU),
    "nvptx": (["cuda", "gpu"], 2, _GPU),
    "rocm": (["rocm", "gpu"], 10, {**_GPU, "mattr": list}),
    "opencl": (["opencl", "gpu"], 4, _GPU),
    "metal": (["metal", "gpu"], 8, _GPU),
    "vulkan": (["vulkan", "gpu"], 7, _GPU),
    "webgpu": (["webgpu", "gpu"], 15, _GPU),
    "sdaccel": (["sdaccel", "hls"], 4, {}),
    "aocl": (["aocl", "hls"], 5, {}),
    "aocl_sw_emu": (["aocl", "hls"], 5, {}),
    "hexagon": (["hexagon", "cpu"], 16, {**_CPU, "vtcm-capacity": int, "llvm-options": list}),
    "stackvm": ([], 1, {"system-lib": bool}),
    "ext_dev": ([], 12, {}),
    "hybrid": ([], 1, {}),
    "composite": ([], 1, {"devices": list}),
    "test": ([], 1, {"my_bool": bool, "your_names": list, "their_map": dict}),
    "cudnn": ([], 2, {}), "cublas": ([], 2, {}), "clml": ([], 4, {}), "ethos-u": ([], 1, {"accelerator_config": str}),
    "cmsis-nn": ([], 1, {"mcpu": str, "debug_last_error": bool}), "cutlass": ([], 2, {"sm": int}), "ccompiler": ([], 1, {}),
    "tensorrt": ([], 2, {}), "example_target_hook": (["example_target_hook"], 1, {"example_attribute": int}),
}
_GPU_DEFAULTS: dict[str, dict[str, Any]] = {
    "cuda": {"max_num_threads": 1024, "thread_warp_size": 32, "arch": "sm_50"},
    "nvptx": {"max_num_threads": 1024, "thread_warp_size": 32},
    "rocm": {"max_num_threads": 256, "thread_warp_size": 64},
    "opencl": {"max_num_threads": 256, "thread_warp_size": 1},
    "metal": {"max_num_threads": 256, "thread_warp_size": 16},
    "vulkan": {"max_num_threads": 256, "thread_warp_size": 1},
    "webgpu": {"max_num_threads": 256},
}
_TAGS: dict[str, dict[str, Any]] = {
    "nvidia/gtx1080ti": {"kind": "cuda", "arch": "sm_61"},
    "nvidia/nvidia-a100": {"kind": "cuda", "arch": "sm_80"},
    "nvidia/geforce-rtx-3070": {"kind": "cuda", "arch": "sm_86"},
    "nvidia/nvidia-v100": {"kind": "cuda", "arch": "sm_70"},
    "raspberry-pi/4b-aarch64": {"kind": "llvm", "mtriple": "aarch64-linux-gnu", "mcpu": "cortex-a72", "mattr": ["+neon"],
                                "num-cores": 4},
}


class TargetKind:
    """A kind of target."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.default_keys, self.default_device_type, self._options = _KINDS[name]

    @property
    def options(self) -> dict[str, Callable[..., Any]]:
        return {**_COMMON, **self._options}

    @staticmethod
    def options_from_name(kind_name: Any) -> Any:
        if kind_name not in _KINDS:
            raise ValueError(f'target kind "{kind_name}" is not defined')
        return {key: value.__name__ for key, value in TargetKind(kind_name).options.items()}

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TargetKind) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def _error(text: str) -> Any:
    return ValueError(text)


def _convert(kind: TargetKind, key: str, value: Any) -> Any:
    expected = kind.options.get(key)
    if expected is None:
        if kind.name == "test" or key in ("host", "keys"):
            return value
        raise _error(f'Error when parsing target: Cannot recognize "{key}". Candidates are: '
                     + ", ".join(sorted(kind.options)))
    if expected is bool:
        return bool(int(value)) if str(value) in ("0", "1") else str(value).lower() in ("true", "on", "yes")
    if expected is int:
        return int(value)
    if expected is list:
        return value.split(",") if isinstance(value, str) else list(value)
    return str(value)


class Target:
    """A target from text, a dict, a tag or another target, with an optional host.

    >>> target = relayopt.target.Target("llvm -mcpu=skylake", host="llvm")
    >>> target.kind.name, target.attrs["mcpu"], target.keys
    ('llvm', 'skylake', ['cpu'])
    >>> with target:
    ...     relayopt.target.Target.current().kind.name
    'llvm'
    >>> relayopt.target.Target("no-such")
    Traceback (most recent call last):
        ...
    ValueError: Cannot parse target string: no-such: target kind "no-such" is not defined
    """

    _local = threading.local()
    type_key = "Target"
    kind: TargetKind
    host: Target | None
    tag: str
    keys: list[str]
    attrs: dict[str, Any]

    def __init__(self, target: Any, host: Any = None) -> None:
        if isinstance(target, Target):
            self.__dict__.update(target.__dict__)
        elif isinstance(target, dict):
            self._from_dict(dict(target))
        elif isinstance(target, str):
            self._from_text(target)
        else:
            raise ValueError("target has to be a string or dictionary.")
        if host is not None:
            if not isinstance(host, (dict, str, Target)):
                raise ValueError("target host has to be a string or dictionary.")
            self.host = Target(host)

    def _from_text(self, text: Any) -> None:
        text = text.strip()
        if not text:
            raise _error("a target needs a kind")
        if text.startswith("{"):
            self._from_dict(json.loads(text))
            return
        if text in _TAGS:
            self._from_dict({**_TAGS[text], "tag": text})
            return
        words = text.split()
        if words[0] not in _KINDS:
            raise _error(f'Cannot parse target string: {text}: target kind "{words[0]}" is not defined')
        config = {"kind": words[0]}
        for word in words[1:]:
            if not word.startswith("-"):
                raise _error(f"Cannot parse target string: {text}: unexpected {word}")
            key, has_value, value = word.lstrip("-").partition("=")
            config[key] = value.strip('"') if has_value else "1"
        self._from_dict(config)

    def _from_dict(self, config: Any) -> None:
        config = dict(config)
        tag = config.pop("tag", "")
        name = config.pop("kind", None)
        if name is None and tag in _TAGS:
            config = {**_TAGS[tag], **config}
            name = config.pop("kind")
        if name not in _KINDS:
            raise _error(f'Target kind "{name}" is not defined. Target creation from config dict failed')
        self.kind = TargetKind(name)
        host = config.pop("host", None)
        self.host = None if host is None else Target(host)
        self.tag = tag
        keys = config.pop("keys", None)
        keys = keys.split(",") if isinstance(keys, str) else list(keys or [])
        attrs: dict[str, Any] = {}
        if name == "composite":
            attrs["devices"] = [Target(device) for device in config.pop("devices", [])]
        for key, value in config.items():
            attrs[key] = _convert(self.kind, key, value)
        device = attrs.get("device")
        for key in ([device] if device else []) + list(self.kind.default_keys):
            if key not in keys:
                keys.append(key)
        for key, value in _GPU_DEFAULTS.get(name, {}).items():
            attrs.setdefault(key, value)
        self.keys = keys
        self.attrs = attrs

    @property
    def features(self) -> Any:
        return self

    @staticmethod
    def _stack() -> Any:
        if not hasattr(Target._local, "stack"):
            Target._local.stack = []
        return Target._local.stack

    @staticmethod
    def current(allow_none: bool = True) -> Any:
        """The innermost target entered by this thread."""
        stack = Target._stack()
        if stack:
            return stack[-1]
        if allow_none:
            return None
        raise ValueError("Target context required. Please set it by constructing a TVM Target")

    def __enter__(self) -> Target:
        Target._stack().append(self)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        Target._stack().pop()

    def export(self) -> Any:
        """The target as a dict."""
        config = {"kind": self.kind.name, "tag": self.tag, "keys": list(self.keys), **self.attrs}
        if self.host is not None:
            config["host"] = self.host.export()
        return config

    def with_host(self, host: Any = None) -> Any:
        made = Target(self)
        made.host = None if host is None else Target(host)
        return made

    @staticmethod
    def from_device(device: Any) -> Any:
        raise _error("there are no devices to ask: relayopt has the CPU only")

    def get_kind_attr(self, attr_name: Any) -> Any:
        return {"is_external_codegen": len(self.kind.default_keys) == 0}.get(attr_name)

    def get_target_device_type(self) -> Any:
        return self.attrs.get("device_type", self.kind.default_device_type)

    @staticmethod
    def list_kinds() -> Any:
        return sorted(_KINDS)

    @staticmethod
    def canon_target(target: Any) -> Any:
        return None if target is None else Target(target)

    @staticmethod
    def canon_target_and_host(target: Any, target_host: Any = None) -> Any:
        if isinstance(target, Target) and target_host is None:
            return target, target.host
        return (None if target is None else Target(target, target_host)), (
            None if target_host is None else Target(target_host))

    @staticmethod
    def canon_multi_target(multi_targets: Any) -> Any:
        targets = multi_targets if isinstance(multi_targets, (list, tuple)) else [multi_targets]
        return [Target(target) for target in targets]

    @staticmethod
    def canon_multi_target_and_host(target: Any, target_host: Any = None) -> Any:
        targets = target if isinstance(target, (list, tuple)) else [target]
        return [Target(t, target_host) for t in targets]

    @staticmethod
    def target_or_current(target: Any) -> Any:
        target = target if target is not None else Target.current()
        if target is None:
            raise ValueError("Target is not set in env or passed as argument.")
        return Target(target)

    arch = property(lambda self: str(self.attrs.get("arch", "")))
    mcpu = property(lambda self: str(self.attrs.get("mcpu", "")))
    mattr = property(lambda self: list(self.attrs.get("mattr", [])))
    libs = property(lambda self: list(self.attrs.get("libs", [])))
    model = property(lambda self: str(self.attrs.get("model", "unknown")))
    device_name = property(lambda self: str(self.attrs.get("device", "")))
    max_num_threads = property(lambda self: int(self.attrs["max_num_threads"]))
    @property
    def max_function_args(self) -> int:
        """How many arguments a kernel may have, where the target says so; 0: any number."""
        return int(self.attrs.get("max_function_args", 0))

    thread_warp_size = property(lambda self: int(self.attrs["thread_warp_size"]))
    supports_integer_dot_product = property(lambda self: "+dotprod" in self.mattr)
    max_block_size_x = property(lambda self: self.max_num_threads)
    max_block_size_y = property(lambda self: self.max_num_threads)

    def same_as(self, other: Any) -> bool:
        return self is other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "attrs" not in self.__dict__:
            raise AttributeError(name)
        if name in self.attrs:
            return self.attrs[name]
        raise AttributeError(f"Target has no attribute {name}")

    def __str__(self) -> str:
        parts = [self.kind.name]
        shown = {"keys": ",".join(self.keys), **self.attrs} if self.keys else dict(self.attrs)

        def text(value: Any) -> str:
            if isinstance(value, bool):
                return "1" if value else "0"
            return ",".join(str(v) for v in value) if isinstance(value, (list, tuple)) else str(value)

        keys = ["keys"] if "keys" in shown else []
        keys += sorted(key for key in shown if key != "keys")
        return " ".join(parts + [f"-{key}={text(shown[key])}" for key in keys])

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Target) and self.export() == other.export()

    def __hash__(self) -> int:
        return hash(str(self))


def create(target: Any) -> Any:
    return Target(target)


def cuda(model: str = "unknown", arch: Any = None, options: Any = None) -> Any:
    text = f"cuda -model={model}" + (f" -arch={arch}" if arch else "")
    return Target(" ".join([text] + list(options or [])))


def rocm(model: str = "unknown", options: Any = None) -> Any:
    return Target(" ".join([f"rocm -model={model}"] + list(options or [])))


def mali(model: str = "unknown", options: Any = None) -> Any:
    return Target(" ".join([f"opencl -device=mali -model={model}"] + list(options or [])))


def bifrost(model: str = "unknown", options: Any = None) -> Any:
    return Target(" ".join([f"opencl -device=bifrost -model={model}"] + list(options or [])))


def intel_graphics(model: str = "unknown", options: Any = None) -> Any:
    return Target(" ".join([f"opencl -device=intel_graphics -model={model}"] + list(options or [])))


def opengl(model: str = "unknown", options: Any = None) -> Any:
    return Target("opencl")


def arm_cpu(model: str = "unknown", options: Any = None) -> Any:
    return Target(" ".join([f"llvm -device=arm_cpu -model={model}"] + list(options or [])))


def rasp(options: Any = None) -> Any:
    return arm_cpu("rasp3b", options)


def vta(model: str = "unknown", options: Any = None) -> Any:
    return Target("ext_dev")


def riscv_cpu(model: str = "sifive-u54", options: Any = None) -> Any:
    return Target(" ".join([f"llvm -device=riscv_cpu -model={model}"] + list(options or [])))


def stm32(series: str = "unknown", options: Any = None) -> Any:
    return Target(" ".join(["c -device=arm_cpu -model=stm32"] + list(options or [])))


def hexagon(cpu_ver: str = "v68", **kwargs: Any) -> Any:
    options = [f"-mcpu=hexagon{cpu_ver}"]
    if kwargs.get("num_cores") is not None:
        options.append(f"-num-cores={kwargs['num_cores']}")
    return Target(" ".join(["hexagon", "-mtriple=hexagon"] + options))


def list_tags() -> Any:
    """The named targets."""
    return {name: Target(name) for name in _TAGS}


def register_tag(name: Any, config: Any, override: bool = False) -> Any:
    """Gives a target a name."""
    if name in _TAGS and not override:
        raise ValueError(f"Tag {name} is already registered")
    _TAGS[name] = dict(config)
    return Target(name)
