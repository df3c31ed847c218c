"""Targets by the names of devices and boards: `arm_cpu("rasp4b64")`. Each only writes a target's text."""

from __future__ import annotations

from .target import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ANDROID = "-mtriple=arm64-linux-android -mattr=+neon"
_ARMV7 = "-mtriple=armv7a-linux-gnueabihf"
# What is known of boards and phones.
_ARM_BOARDS = {
    "pixel2": f"-model=snapdragon835 {_ANDROID}",
    "mate10": f"-model=kirin970 {_ANDROID}",
    "mate10pro": f"-model=kirin970 {_ANDROID}",
    "p20": f"-model=kirin970 {_ANDROID}",
    "p20pro": f"-model=kirin970 {_ANDROID}",
    "rasp3b": "-model=bcm2837 -mtriple=armv7l-linux-gnueabihf -mattr=+neon",
    "rasp4b": "-model=bcm2711 -mtriple=armv8l-linux-gnueabihf -mattr=+neon -mcpu=cortex-a72",
    "rasp4b64": "-model=bcm2711 -mtriple=aarch64-linux-gnu -mattr=+neon -mcpu=cortex-a72",
    "rk3399": "-model=rk3399 -mtriple=aarch64-linux-gnu -mattr=+neon",
    "pynq": "-model=pynq -mtriple=armv7a-linux-eabi -mattr=+neon",
    "ultra96": "-model=ultra96 -mtriple=aarch64-linux-gnu -mattr=+neon",
    "beagleai": f"-model=beagleai {_ARMV7} -mattr=+neon,+vfp4,+thumb2 -mcpu=cortex-a15",
    "stm32mp1": f"-model=stm32mp1 {_ARMV7} -mattr=+neon,+vfp4,+thumb2 -mcpu=cortex-a7",
    "thunderx": "-model=thunderx -mtriple=aarch64-linux-gnu -mattr=+neon,+crc,+lse -mcpu=thunderxt88",
}
_RISCV_BOARDS = {
    name: f"-model={name} -mtriple=riscv{bits}-unknown-linux-gnu -mcpu={name} -mabi={abi}"
    for name, bits, abi in (("sifive-e31", 32, "ilp32"), ("sifive-e76", 32, "ilp32"), ("sifive-u54", 64, "lp64d"),
                            ("sifive-u74", 64, "lp64d"))
}
_MICROCONTROLLERS = {
    "host": "", "esp32": "", "atsamd51": "-mcpu=cortex-m4", "cxd5602gg": "-mcpu=cortex-m4", "imxrt10xx": "-mcpu=cortex-m7",
    "mps2_an521": "-mcpu=cortex-m33", "mps3_an547": "-mcpu=cortex-m55", "nrf52840": "-mcpu=cortex-m4+nodsp",
    "nrf5340dk": "-mcpu=cortex-m33", "rp2040": "-mcpu=cortex-m0", "sam3x8e": "-mcpu=cortex-m3",
    "stm32f746xx": "-mcpu=cortex-m7 -march=armv7e-m", "stm32l4r5zi": "-mcpu=cortex-m4", "zynq_mp_r5": "-mcpu=cortex-r5",
}
_STM32_SERIES = {"stm32H7xx": "-mcpu=cortex-m7 -march=armv7e-m", "stm32F7xx": "-mcpu=cortex-m7"}
_HEXAGON_VERSIONS = ("v65", "v66", "v67", "v67t", "v68", "v69", "v71", "v73")


def _made(text: str, options: str | list[str] | None = None) -> Target:
    """A target of a text and of options that it does not have yet."""
    words = text.split()
    more = options.split() if isinstance(options, str) else list(options or [])
    return Target(" ".join(words + [word for word in more if word not in words]))


def cuda(model: str = "unknown", arch: str | None = None, options: str | list[str] | None = None) -> Target:
    """An NVIDIA GPU. Without `arch` it is the oldest that is common."""
    return _made(f"cuda -model={model}" + (f" -arch={arch}" if arch else ""), options)


def rocm(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """An AMD GPU."""
    return _made(f"rocm -model={model}", options)


def mali(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """A Mali GPU of ARM."""
    return _made(f"opencl -device=mali -model={model}", options)


def bifrost(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """A Mali GPU of ARM of the Bifrost architecture."""
    return _made(f"opencl -device=bifrost -model={model}", options)


def intel_graphics(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """A GPU of Intel."""
    return _made(f"opencl -device=intel_graphics -model={model} -thread_warp_size=16", options)


def opengl(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """A device that runs OpenCL."""
    return _made(f"opencl -model={model}", options)


def arm_cpu(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """An ARM CPU, by the name of a board or phone."""
    return _made("llvm -device=arm_cpu " + _ARM_BOARDS.get(model, f"-model={model}"), options)


def rasp(options: str | list[str] | None = None) -> Target:
    """A Raspberry Pi 3b."""
    return arm_cpu("rasp3b", options)


def riscv_cpu(model: str = "sifive-u54", options: str | list[str] | None = None) -> Target:
    """A RISC-V CPU."""
    return _made("llvm -device=arm_cpu " + _RISCV_BOARDS.get(model, f"-model={model}"), options)


def vta(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """The accelerator VTA."""
    return _made(f"ext_dev -device=vta -keys=vta,cpu -model={model}", options)


def micro(model: str = "unknown", options: str | list[str] | None = None) -> Target:
    """A microcontroller, by the name of a board."""
    if model not in _MICROCONTROLLERS:
        raise ValueError(f"Model {model} not supported by tvm.target.micro.")
    return _made(f"c {_MICROCONTROLLERS[model]} -model={model}", options)


def stm32(series: str = "unknown", options: str | list[str] | None = None) -> Target:
    """A microcontroller of ST, by its series."""
    if series not in _STM32_SERIES:
        raise ValueError(f"Series {series} is not supported by tvm.target.stm32.")
    return _made(f"c -keys=arm_cpu,cpu -device=arm_cpu {_STM32_SERIES[series]} -model=stm32", options)


def hexagon(cpu_ver: str = "v68", **kwargs: Any) -> Target:
    """A Hexagon DSP. `hvx` is the size of vectors in bytes, 0, 64 or 128; `llvm_options`, `num_cores`, `vtcm_capacity`."""
    version = cpu_ver[cpu_ver.find("v"):].lower()
    if version not in _HEXAGON_VERSIONS:
        raise ValueError(f"{cpu_ver} is not a valid Hexagon version\nvalid versions include {list(_HEXAGON_VERSIONS)}")
    newer = int(version[1:3]) >= 68
    config = {"hvx": 128, "llvm_options": None, "use_qfloat": newer, "use_ieee_fp": False, "num_cores": None,
              "vtcm_capacity": 0, **kwargs}
    if config["hvx"] not in (0, 64, 128):
        raise ValueError("Invalid hvx value, should be one of [0, 64, 128]")
    features = ["-hvx"]
    if config["hvx"]:
        features = [f"+hvx{version}", f"+hvx-length{config['hvx']}b"]
        features += [("+" if config["use_qfloat"] else "-") + "hvx-qfloat"] if newer else []
        features += [("+" if config["use_ieee_fp"] else "-") + "hvx-ieee-fp"] if newer else []
    options = [f"-mcpu=hexagon{version}", f"-mattr={','.join(features)}"]
    if config["num_cores"] is not None:
        options.append(f"-num-cores={config['num_cores']}")
    if config["vtcm_capacity"]:
        options.append(f"-vtcm-capacity={config['vtcm_capacity']}")
    if config["llvm_options"]:
        # As TVM: an option's value has no equals sign.
        options.append("-llvm-options=" + ",".join(word.replace("=", "@") for word in config["llvm_options"].split()))
    return _made("hexagon -mtriple=hexagon", options)
