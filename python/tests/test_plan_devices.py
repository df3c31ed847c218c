"""PlanDevices by a compilation config, and where values are afterwards. lit-tests/transforms/plan-devices tests the pass itself."""

import pytest

import relayopt
from relayopt import relay
from relayopt.target import Target, VirtualDevice, make_compilation_config

CPU, GPU = VirtualDevice(relayopt.cpu(0)), VirtualDevice(relayopt.cuda(0))
CONTEXT = relayopt.transform.PassContext(config={"relay.fallback_device_type": GPU.device_type_int})
T = "Tensor[(5, 7), float32]"


def parse(text):
    """A module of a text in which `on=CPU` and `on=GPU` stand for virtual devices."""
    for name, index in (("CPU", 0), ("GPU", 1)):
        text = text.replace(f"on={name}", f"virtual_device=meta[VirtualDevice][{index}]")
    return relay.parse('#[version = "0.0.5"]\n' + text.replace("fixed", "constrain_result=True"), "s", None,
                       {"VirtualDevice": [CPU, GPU]})


def plan(mod):
    config = make_compilation_config(CONTEXT, [Target("llvm"), Target("cuda")], Target("llvm"))
    return relay.transform.PlanDevices(config)(mod)


def test_what_is_annotated_is_copied_to_where_it_is_needed():
    mod = plan(parse(f"def @main(%a: {T}, %b: {T}) {{ subtract(on_device(exp(%a), on=CPU), %b) }}"))
    copy, _ = mod["main"].body.args
    assert (copy.attrs.src_virtual_device, copy.attrs.dst_virtual_device) == (CPU, GPU)
    assert [param.virtual_device_ for param in mod["main"].params] == [CPU, GPU] and mod["main"].virtual_device_ == GPU
    assert mod["main"].body.checked_type == relay.TensorType((5, 7))


def test_a_value_on_two_devices_is_an_error():
    mod = parse(f"def @main(%a: {T}, on=GPU) {{ on_device(exp(%a), on=CPU, fixed) }}")
    with pytest.raises(relayopt.DiagnosticError, match="device 1:0 and on device 2:0") as raised:
        plan(mod)
    assert raised.value.kind == "two-devices"


def test_an_operand_that_two_devices_want_is_copied_once_for_each_use():
    mod = plan(parse(f"def @main(%a: {T}, %b: {T}) {{ add(on_device(%a, on=CPU, fixed), on_device(%b, on=GPU, fixed)) }}"))
    assert str(mod).count("device_copy(") == 1


def test_the_default_is_that_of_the_first_target():
    config = make_compilation_config(relayopt.transform.PassContext(), [Target("llvm")], None)
    mod = relay.transform.PlanDevices(config)(parse(f"def @main(%a: {T}) {{ add(%a, %a) }}"))
    assert mod["main"].virtual_device_.device_type_int == 1


def test_a_default_without_a_target_is_an_error():
    with pytest.raises(ValueError, match="fallback_device_type"):
        make_compilation_config(CONTEXT, [Target("llvm")], None)


def test_the_device_of_every_value_is_recovered():
    recover = relayopt.get_global_func("relay.transform.RecoverVirtualDeviceMap")
    mod = plan(parse(f"""def @main(%a: {T}, %b: {T}) {{
      let %l = add(%a, %a);
      subtract(on_device(%l, on=CPU), %b)
    }}"""))
    found = {node: device.device_type for node, device in recover(mod, mod["main"]).items()}
    function = mod["main"]
    a, b = function.params
    bound, copied = function.body, function.body.body.args[0]
    cpu, gpu = CPU.device_type, GPU.device_type
    assert [found[e] for e in (a, b, bound.var, bound.value, copied, function)] == [cpu, gpu, cpu, cpu, gpu, gpu]
    assert not any(isinstance(e, relayopt.ir.Op) for e in found)
