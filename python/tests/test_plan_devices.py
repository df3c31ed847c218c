"""PlanDevices: where values are, and what is copied."""

import pytest

import relayopt
from relayopt import relay
from relayopt.target import Target, VirtualDevice, make_compilation_config

CPU, GPU = VirtualDevice(relayopt.cpu(0)), VirtualDevice(relayopt.cuda(0))
CONTEXT = relayopt.transform.PassContext(config={"relay.fallback_device_type": GPU.device_type_int})
T = "Tensor[(5, 7), float32]"
CORE = relayopt.IRModule()
CORE.import_from_std("core.rly")


def parse(text):
    """A module of a text in which CPU and GPU stand for devices, and `X@CPU: T` for a parameter X that is there."""
    for name, index in (("CPU", 0), ("GPU", 1)):
        device = f"meta[VirtualDevice][{index}]"
        text = text.replace(f"@{name}:", f" {{virtual_device={device}}}:").replace(f"on={name}", f"virtual_device={device}")
        text = text.replace(f"from={name}", f"src_virtual_device={device}").replace(f"to={name}", f"dst_virtual_device={device}")
    text = text.replace("fixed", "constrain_result=True")
    return relay.parse('#[version = "0.0.5"]\n' + text, "s", CORE, {"VirtualDevice": [CPU, GPU]})


def plan(mod):
    config = make_compilation_config(CONTEXT, [Target("llvm"), Target("cuda")], Target("llvm"))
    return relay.transform.InferType()(relay.transform.PlanDevices(config)(relay.transform.InferType()(mod)))


CASES = {
    "without annotations all is on the default device": (
        f"def @main(%a: {T}, %b: {T}) {{ subtract(%a, %b) }}",
        f"def @main(%a@GPU: {T}, %b@GPU: {T}, on=GPU) {{ subtract(%a, %b) }}",
    ),
    "what is annotated is copied to where it is needed": (
        f"""def @main(%a: {T}, %b: {T}, %c: {T}, %d: {T}) {{
          subtract(on_device(add(%a, %b), on=CPU), add(%c, %d))
        }}""",
        f"""def @main(%a@CPU: {T}, %b@CPU: {T}, %c@GPU: {T}, %d@GPU: {T}, on=GPU) {{
          subtract(device_copy(on_device(add(%a, %b), on=CPU, fixed), from=CPU, to=GPU), add(%c, %d))
        }}""",
    ),
    "values of lets always say where they are": (
        f"""def @main(%a: {T}, %b: {T}, %c: {T}) {{
          let %l = add(%a, %b);
          let %r = add(%c, %c);
          subtract(on_device(%l, on=CPU), %r)
        }}""",
        f"""def @main(%a@CPU: {T}, %b@CPU: {T}, %c@GPU: {T}, on=GPU) {{
          let %l = on_device(add(%a, %b), on=CPU, fixed);
          let %r = on_device(add(%c, %c), on=GPU, fixed);
          subtract(device_copy(%l, from=CPU, to=GPU), %r)
        }}""",
    ),
    "an annotated result is where the function gives it back": (
        f"def @main(%a: {T}) {{ on_device(add(%a, %a), on=CPU) }}",
        f"def @main(%a@CPU: {T}, on=CPU) {{ add(%a, %a) }}",
    ),
    "parameters of closures are where their uses want them": (
        f"""def @main(%a: {T}, %b: {T}) {{
          let %f = fn (%x: {T}, %y: {T}) {{ add(%x, on_device(%y, on=CPU)) }};
          %f(%a, %b)
        }}""",
        f"""def @main(%a@GPU: {T}, %b@CPU: {T}, on=GPU) {{
          let %f = fn (%x@GPU: {T}, %y@CPU: {T}, on=GPU) {{ add(%x, device_copy(%y, from=CPU, to=GPU)) }};
          %f(%a, %b)
        }}""",
    ),
    "arguments are copied to where a global function takes them": (
        f"""def @f(%a: {T}) -> {T} {{ add(%a, %a) }}
        def @main(%x: {T}) -> {T} {{ @f(on_device(%x, on=CPU)) }}""",
        f"""def @f(%a@GPU: {T}, on=GPU) -> {T} {{ add(%a, %a) }}
        def @main(%x@CPU: {T}, on=GPU) -> {T} {{ @f(device_copy(%x, from=CPU, to=GPU)) }}""",
    ),
    "fields are copied, not tuples": (
        """def @main(%x: Tensor[(3, 3, 4), float32]) {
          let %t = split(%x, indices_or_sections=3);
          subtract(on_device(%t, on=CPU).0, on_device(%t, on=CPU).1)
        }""",
        """def @main(%x@CPU: Tensor[(3, 3, 4), float32], on=GPU) {
          let %t = on_device(split(%x, indices_or_sections=3), on=CPU, fixed);
          subtract(device_copy(on_device(%t.0, on=CPU, fixed), from=CPU, to=GPU),
                   device_copy(on_device(%t.1, on=CPU, fixed), from=CPU, to=GPU))
        }""",
    ),
    "a condition is where its branches are": (
        f"def @main(%c: bool, %a: {T}, %b: {T}) {{ if (%c) {{ on_device(add(%a, %a), on=CPU) }} else {{ %b }} }}",
        f"""def @main(%c@GPU: bool, %a@CPU: {T}, %b@GPU: {T}, on=GPU) {{
          if (%c) {{ device_copy(on_device(add(%a, %a), on=CPU, fixed), from=CPU, to=GPU) }} else {{ %b }}
        }}""",
    ),
    "data of a type is in one place": (
        f"""type Box {{ Two({T}, {T}) }}
        def @main(%a: {T}, %b: {T}) {{ match (Two(on_device(%a, on=CPU), %b)) {{ Two(%x, _) => %x }} }}""",
        f"""type Box {{ Two({T}, {T}) }}
        def @main(%a@CPU: {T}, %b@GPU: {T}, on=GPU) {{
          match (Two(device_copy(%a, from=CPU, to=GPU), %b)) {{ Two(%x, _) => %x }}
        }}""",
    ),
    "references hold what is where they are": (
        f"def @main(%a: {T}, %b: {T}) {{ let %r = ref(%a); let %u = ref_write(%r, on_device(%b, on=CPU)); ref_read(%r) }}",
        f"""def @main(%a@GPU: {T}, %b@CPU: {T}, on=GPU) {{
          let %r = on_device(ref(%a), on=GPU, fixed);
          let %u = on_device(ref_write(%r, device_copy(%b, from=CPU, to=GPU)), on=GPU, fixed);
          ref_read(%r)
        }}""",
    ),
    "shapes are on the host, what they are of is anywhere": (
        'def @main(%x: Tensor[(?, ?), float32]) { vm.shape_of(on_device(%x, on=GPU, fixed), dtype="int64") }',
        'def @main(%x@GPU: Tensor[(?, ?), float32], on=CPU) { vm.shape_of(%x, dtype="int64") }',
    ),
    "functions that are given say where their results are, not where those take what they are given": (
        f"""def @main(%x: {T}, %y: {T}) {{
          let %f = fn (%g: fn ({T}) -> {T}) {{ fn (%a: {T}) {{ add(%g(on_device(%a, on=CPU)), %x) }} }};
          let %h = fn (%b: {T}) {{ negative(%b) }};
          subtract(%x, %f(%h)(%y))
        }}""",
        f"""def @main(%x@GPU: {T}, %y@CPU: {T}, on=GPU) {{
          let %f = fn (%g@GPU: fn ({T}) -> {T}, on=GPU) {{
            fn (%a@CPU: {T}, on=GPU) {{ add(%g(device_copy(%a, from=CPU, to=GPU)), %x) }}
          }};
          let %h = fn (%b@GPU: {T}, on=GPU) {{ negative(%b) }};
          subtract(%x, %f(%h)(%y))
        }}""",
    ),
    "memory is where it is allocated, its size on the host": (
        "def @main(%n: int64, %a: int64) { memory.alloc_storage(%n, 1, %a, on=GPU) }",
        """def @main(%n@CPU: int64, %a@CPU: int64, on=GPU) {
          memory.alloc_storage(%n, on_device(1, on=CPU, fixed), %a, on=GPU)
        }""",
    ),
    "a copy to the same device goes": (
        f"def @main(%a: {T}) {{ device_copy(add(%a, %a), from=CPU, to=CPU) }}",
        f"def @main(%a@CPU: {T}, on=CPU) {{ add(%a, %a) }}",
    ),
    "an annotation without constraints costs no copy": (
        f"""def @main(%a: {T}, %b: {T}) {{
          add(on_device(%a, virtual_device=meta[VirtualDevice][0], constrain_body=False), on_device(%b, on=CPU, fixed))
        }}""",
        f"def @main(%a@CPU: {T}, %b@CPU: {T}, on=CPU) {{ add(%a, %b) }}",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_devices(name):
    before, after = (parse(text) for text in CASES[name])
    relayopt.ir.assert_structural_equal(plan(before), relay.transform.InferType()(after), True)


@pytest.mark.parametrize("name", CASES)
def test_planning_again_changes_nothing(name):
    after = relay.transform.InferType()(parse(CASES[name][1]))
    relayopt.ir.assert_structural_equal(plan(after), after, True)


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
