"""Targets: what the core says of them, in Python."""

import copy
import json
import pickle
import threading

import pytest

import relayopt
from relayopt import relay
from relayopt.target import Target, TargetKind, list_tags, register_tag


def test_texts_dicts_and_json_make_the_same_target():
    config = {"kind": "llvm", "keys": ["arm_cpu", "cpu"], "device": "arm_cpu", "libs": ["cblas"], "mfloat-abi": "hard",
              "mattr": ["+neon", "-avx512f"]}
    text = "llvm -keys=arm_cpu,cpu -device=arm_cpu -libs=cblas -mattr=+neon,-avx512f -mfloat-abi=hard"
    for given in (config, json.dumps(config), text, relayopt.runtime.convert(config), Target(text)):
        target = Target(given)
        assert target == Target(text) and hash(target) == hash(Target(text))
        assert str(target) == text
        assert (target.kind.name, target.keys, target.device_name, target.libs) == ("llvm", ["arm_cpu", "cpu"], "arm_cpu", ["cblas"])
        assert target.attrs["mfloat-abi"] == "hard" and target.mattr == ["+neon", "-avx512f"]
    assert Target("llvm") != Target("c") and Target("llvm") != "llvm"


def test_the_export_makes_the_target_again():
    for given in ("llvm", "cuda -host=llvm", "vulkan -device_name='Name with blanks'", "composite -devices=cuda,opencl",
                  "cutlass -split_k_slices=1,2", {"kind": "llvm", "tag": "mine"}):
        target = Target(given)
        assert Target(target.export()) == target
        assert pickle.loads(pickle.dumps(target)) == target == copy.deepcopy(target)
    assert Target("cuda -host=llvm").export() == {
        "arch": "sm_50", "host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cuda", "gpu"], "kind": "cuda",
        "max_num_threads": 1024, "tag": "", "thread_warp_size": 32}


def test_the_text_has_neither_host_nor_tag():
    target = Target({"kind": "cuda", "tag": "mine"}, "llvm")
    assert target.tag == "mine" and target.host == Target("llvm")
    assert str(target) == repr(target) == "cuda -keys=cuda,gpu -arch=sm_50 -max_num_threads=1024 -thread_warp_size=32"
    assert str(Target("llvm")) == "llvm -keys=cpu "


def test_tags_are_those_of_the_core():
    tags = list_tags()
    assert len(tags) >= 254 and tags["raspberry-pi/4b-aarch64"].mcpu == "cortex-a72"
    nano = Target("nvidia/jetson-nano")
    assert (nano.kind.name, nano.arch, nano.tag) == ("cuda", "sm_53", "")
    assert (nano.max_shared_memory_per_block, nano.thread_warp_size, nano.attrs["registers_per_block"]) == (49152, 32, 32768)
    assert Target("nvidia/nvidia-a100").l2_cache_size_bytes == 41943040
    assert Target("nvidia/jetson-agx-xavier").host.attrs["num-cores"] == 8
    assert Target("nvidia/gtx1080ti").arch == "sm_61"


def test_a_tag_can_be_registered():
    made = register_tag("test/python-board", {"kind": "cuda", "arch": "sm_61", "host": {"kind": "llvm"}})
    assert made == Target("test/python-board") == list_tags()["test/python-board"] and made.host == Target("llvm")
    with pytest.raises(ValueError, match="the target tag 'test/python-board' exists already"):
        register_tag("test/python-board", {"kind": "llvm"})
    register_tag("test/python-board", {"kind": "llvm"}, override=True)
    assert Target("test/python-board").kind.name == "llvm"


def test_hosts():
    cuda = Target("cuda -host=nvidia/jetson-nano")
    assert cuda.host.arch == "sm_53" and Target(cuda, None).host == cuda.host
    assert Target(cuda, "llvm").host.kind.name == "llvm"
    assert cuda.with_host("llvm").host == Target("llvm") and cuda.with_host().host is None
    assert cuda.with_host({"kind": "c"}).host.kind.name == "c"
    assert Target({"kind": "llvm", "host": {"kind": "cuda", "host": "llvm"}}).host.host == Target("llvm")
    assert Target({"kind": "cuda", "host": Target("llvm")}).host == Target("llvm")


@pytest.mark.parametrize("given, text", [
    ("lvm", r"unknown target kind or tag 'lvm' \(did you mean 'llvm'\?\)"),
    ("", "the target is empty"),
    ("llvm mcpu=x", "has 'mcpu=x' where an option is expected"),
    ("llvm -mcup=x", r"target kind llvm has no option 'mcup' \(did you mean 'mcpu'\?\)"),
    ("llvm -mcpu=x -mcpu=y", "target option 'mcpu' is given twice"),
    ("llvm -num-cores=many", "target option 'num-cores' expects an integer, not 'many'"),
    ("cuda -arch=61", "target option 'arch' expects sm_ and a number, not '61'"),
    ({"kind": "llvm", "libs": {"a": "b"}}, "the target has no kind"),
    ({"kind": "llvm", "mcpu": 3}, "target option 'mcpu' expects text, not 3"),
    ({"kind": "llvm", "num-cores": "3"}, "target option 'num-cores' expects an integer, not '3'"),
    ({"kind": "llvm", "num-cores": 3.5}, "target option 'num-cores' expects text, an integer, a switch, a list or a target"),
    ({"kind": "llvm", "features": {"kind": "c"}}, "target kind llvm has no option 'features'"),
    ({"mcpu": "x"}, "the target has no kind"),
    ("{", "well-formed JSON"),
])
def test_what_is_wrong_with_a_target_is_a_value_error(given, text):
    with pytest.raises(ValueError, match=text):
        Target(given)


def test_what_is_no_target_is_a_value_error():
    with pytest.raises(ValueError, match="target has to be a string or dictionary."):
        Target(3)
    with pytest.raises(ValueError, match="target has to be a string or dictionary."):
        Target(None)
    with pytest.raises(ValueError, match="target host has to be a string or dictionary."):
        Target("llvm", 12.34)
    with pytest.raises(ValueError, match="unknown target kind or tag 'nope'"):
        TargetKind("nope")


def test_kinds_are_those_of_the_core():
    kinds = Target.list_kinds()
    assert kinds == sorted(kinds) and {"llvm", "cuda", "tensorrt", "ethos-u", "composite"} <= set(kinds)
    for name in kinds:
        kind = Target(name).kind
        assert kind == TargetKind(name) and str(kind) == name
        assert Target(name).get_target_device_type() == kind.default_device_type
        assert set(kind.default_keys) == set(Target(name).keys)
        assert {"keys", "tag", "device", "model", "libs", "host"} <= set(kind.options)
    assert TargetKind.options_from_name("llvm")["mcpu"] == "runtime.String"
    assert TargetKind("cuda").options["thread_warp_size"] == "IntImm"
    assert TargetKind("vulkan").options["supports_int8"] == "IntImm" and TargetKind("llvm").options["mattr"] == "Array"
    assert Target("tensorrt").get_kind_attr("is_external_codegen") is True
    assert Target("llvm").get_kind_attr("is_external_codegen") is False


def test_device_types():
    assert Target("llvm").get_target_device_type() == 1 and Target("vulkan").get_target_device_type() == 7
    assert Target("llvm -target_device_type=2").get_target_device_type() == 2


def test_switches_are_numbers_from_texts_and_bools_from_dicts():
    assert Target("vulkan -supports_float16=true").attrs["supports_float16"] == 1
    assert Target("vulkan -supports_float16=false").attrs["supports_float16"] == 0
    assert Target({"kind": "vulkan", "supports_float16": True}).attrs["supports_float16"] is True
    assert Target("vulkan").attrs["supports_int32"] is True
    with pytest.raises(TypeError):
        Target("vulkan").attrs["supports_int32"] = False


def test_a_composite_has_devices():
    target = Target("composite -host=llvm -devices=cuda,opencl")
    assert [device.kind.name for device in target.attrs["devices"]] == ["cuda", "opencl"] and target.host.kind.name == "llvm"
    assert Target({"kind": "composite", "devices": ["cuda", {"kind": "opencl"}]}).attrs["devices"] == target.attrs["devices"]


def test_features_come_from_the_kind():
    assert Target("test").features.is_test and not Target("cuda").features.is_test
    assert Target("test").features.is_missing is None
    assert Target("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.4a").features.has_dotprod
    assert not Target("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.4a,+nodotprod").features.has_dotprod
    assert Target("c -mcpu=cortex-m55").features.has_mve and "arm_cpu" in Target("c -mcpu=cortex-m55").keys
    assert dir(Target("test").features) == ["is_test"]


def test_attributes_as_properties():
    cuda = Target("cuda -model=unknown -libs=cublas,cudnn")
    assert (cuda.model, cuda.libs, cuda.max_num_threads, cuda.max_block_size_x, cuda.arch) == (
        "unknown", ["cublas", "cudnn"], 1024, 1024, "sm_50")
    assert (Target("metal").max_function_args, Target("llvm").max_function_args) == (31, 0)
    assert Target("hexagon -vtcm-capacity=4096").vtcm_capacity == 4096
    assert Target("llvm -mattr=+dotprod").supports_integer_dot_product and not Target("vulkan").supports_cooperative_matrix
    with pytest.raises(KeyError, match="targets of kind llvm have no thread_warp_size"):
        Target("llvm").thread_warp_size
    with pytest.raises(AttributeError):
        Target("llvm").nonsense


def test_blanks_and_quotes_come_back():
    target = Target("vulkan -device_name='Name of GPU with spaces' -device_type=discrete")
    assert target.attrs["device_name"] == "Name of GPU with spaces"
    again = Target(str(target))
    assert again.attrs["device_name"] == "Name of GPU with spaces" and str(again) == str(target)
    options = Target("llvm -cl-opt='-unroll-threshold:uint=100,-unroll-count:uint=3'").attrs["cl-opt"]
    assert options == ["-unroll-threshold:uint=100", "-unroll-count:uint=3"]


def test_the_current_target_is_that_of_the_thread():
    seen = []
    with Target("llvm") as outer:
        assert Target.current() is outer
        with Target("cuda"):
            assert Target.current().kind.name == "cuda"
        thread = threading.Thread(target=lambda: seen.append(Target.current()))
        thread.start()
        thread.join()
        assert Target.current() is outer and Target.target_or_current(None) is outer
    assert seen == [None] and Target.current() is None
    with pytest.raises(ValueError, match="Target context required"):
        Target.current(allow_none=False)


def test_canonical_forms():
    llvm = Target("llvm")
    assert Target.canon_target(llvm) is llvm and Target.canon_target(None) is None
    target, host = Target.canon_target_and_host("cuda", "llvm")
    assert target.host == host == llvm
    assert Target.canon_target_and_host("cuda -host=c", "llvm")[1] == Target("c")
    with pytest.raises(AssertionError, match="host is not empty"):
        Target.canon_target_and_host(None, "llvm")
    assert Target.canon_multi_target("llvm") == Target.canon_multi_target(["llvm"]) == Target.canon_multi_target({1: "llvm"}) == [llvm]
    assert Target.canon_multi_target({"kind": "llvm"}) == [llvm]
    assert [each.host for each in Target.canon_multi_target_and_host(["cuda", "opencl -host=c"], "llvm")] == [llvm, Target("c")]
    mapped, host = Target.canon_target_map_and_host({"cuda": 1, "llvm": 2}, "llvm")
    assert host == llvm and mapped == {Target("cuda", "llvm"): 1, Target("llvm", "llvm"): 2}


def test_presets():
    target = relayopt.target
    assert target.cuda(options="-libs=cublas,cudnn") == Target("cuda -model=unknown -libs=cublas,cudnn")
    assert target.intel_graphics().thread_warp_size == 16 and target.intel_graphics().keys == ["intel_graphics", "opencl", "gpu"]
    assert target.arm_cpu("rasp4b64").mcpu == "cortex-a72" and target.arm_cpu("other").model == "other"
    assert target.arm_cpu().device_name == "arm_cpu" and target.mali().device_name == "mali"
    assert target.riscv_cpu("sifive-e31").attrs["mabi"] == "ilp32"
    assert target.vta().keys == ["vta", "cpu"] and target.rocm("m").kind.name == "rocm"
    assert target.micro("stm32f746xx", options=["-mcpu=cortex-m7"]).attrs["march"] == "armv7e-m"
    hexagon = target.hexagon("v68", num_cores=4, vtcm_capacity=1024)
    assert hexagon.attrs["num-cores"] == 4 and hexagon.mattr[:2] == ["+hvxv68", "+hvx-length128b"]
    assert target.hexagon("v66", hvx=0).mattr == ["-hvx"]
    for make in (lambda: target.hexagon("v1"), lambda: target.hexagon(hvx=3), lambda: target.micro("x"), lambda: target.stm32("x")):
        with pytest.raises(ValueError):
            make()


def test_cpu_features_are_those_of_the_target():
    from relayopt.target.codegen import target_has_features

    assert target_has_features("avx2", Target("llvm -mcpu=haswell")) and not target_has_features("avx2", "llvm")
    with Target("llvm -mcpu=skylake-avx512"):
        assert target_has_features(["avx2", "avx512bw"]) and not target_has_features(["avx2", "amx-int8"])


def test_passes_see_the_target():
    x, w = relay.var("x", shape=(4, 16), dtype="int8"), relay.var("w", shape=(8, 16), dtype="int8")
    one = relay.const(0.5)
    mod = relay.transform.InferType()(
        relayopt.IRModule.from_expr(relay.qnn.op.dense(x, w, relay.const(1), relay.const(0), one, one, units=8)))
    legalize = relay.qnn.transform.Legalize()
    x86 = Target({"kind": "llvm", "mcpu": "cascadelake", "tag": "mine"}, "llvm")
    for given in ("llvm -mcpu=cascadelake", {"kind": "llvm", "mcpu": "cascadelake"}, x86):
        with relayopt.transform.PassContext(opt_level=3, target=given):
            assert 'dtype="uint8"' in str(legalize(mod))
    with Target("llvm -mtriple=aarch64-linux-gnu"), relayopt.transform.PassContext(opt_level=3):
        assert 'dtype="int16"' in str(legalize(mod))
    with relayopt.transform.PassContext(opt_level=3):
        assert relayopt.ir.structural_equal(legalize(mod), mod)
    with pytest.raises(ValueError, match="unknown target kind or tag 'lvm'"):
        relayopt.transform.PassContext(target="lvm")


def test_generic_functions_call_what_the_target_has():
    @relayopt.target.generic_func
    def width(bits, times=1):
        return times * 128 // bits

    @width.register(["cuda", "gpu"])
    def of_a_gpu(bits, times=1):
        return times * 32

    assert (width(8), width(8, times=2)) == (16, 32)
    with Target("metal"):
        assert width(8, times=2) == 64 and width.get_packed_func()(8) == 32
    with pytest.raises(ValueError, match="cuda is registered already"):
        width.register("cuda", of_a_gpu)
    with Target("cuda"):
        width.register("cuda", lambda bits: 7, allow_override=True)
        assert width(8) == 7


def test_a_virtual_device_keeps_the_target_that_was_given():
    target = Target("cuda")
    assert relayopt.target.VirtualDevice(relayopt.device("cuda"), target, "local").target == target
    assert relayopt.target.VirtualDevice(relayopt.device("cuda")).target is None


def test_devices_of_every_kind_of_target_have_the_number_of_its_name():
    for name in Target.list_kinds():
        number = relayopt.runtime.Device.STR2MASK.get(name)
        assert number is None or Target(name).get_target_device_type() == number
