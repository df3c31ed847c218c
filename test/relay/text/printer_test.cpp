// The text of modules, against what the reference prints.
#include "relayopt/relay/text/printer.h"

#include <catch2/catch.hpp>

#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_instance.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/reader.h"

namespace relayopt {

namespace {

constexpr std::string_view kVersion = "#[version = \"0.0.5\"]\n";

auto Read(const std::string& body, bool infer) -> Module {
  DiagnosticSink sink;
  const auto source = SourceText::FromString("test", std::string(kVersion) + body);
  auto module = ReadModule(source, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) UNSCOPED_INFO(Render(diagnostic, source.get()));
  REQUIRE(module.has_value());
  const bool typed = !infer || InferTypes(*module, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) UNSCOPED_INFO(Render(diagnostic, source.get()));
  REQUIRE(typed);
  return std::move(*module);
}

// The text without its first line.
auto Print(const Module& module, const PrintOptions& options = {}) -> std::string {
  const std::string text = PrintModule(module, options);
  REQUIRE(text.starts_with(kVersion));
  return text.substr(kVersion.size());
}

// What becomes of a text when it is read and printed, without types.
auto Reprint(const std::string& body, const PrintOptions& options = {}) -> std::string {
  return Print(Read(body, false), options);
}

// The same with types.
auto ReprintTyped(const std::string& body) -> std::string { return Print(Read(body, true)); }

void CheckSame(const std::string& body) { CHECK(Reprint(body) == body); }

}  // namespace

TEST_CASE("float digits are the reference's where they suffice") {
  CHECK(FloatDigits(0.1F, 32) == "0.1");
  CHECK(FloatDigits(1e6, 32) == "1e+06");
  CHECK(FloatDigits(100000, 32) == "100000");
  CHECK(FloatDigits(1e-5F, 32) == "1e-05");
  CHECK(FloatDigits(-0.0, 32) == "-0");
  CHECK(FloatDigits(1e300, 64) == "1e+300");
  CHECK(FloatDigits(0.0999755859375, 16) == "0.0999756");
  CHECK(FloatDigits(INFINITY, 32) == "inf");
  CHECK(FloatDigits(-INFINITY, 64) == "-inf");
  CHECK(FloatDigits(NAN, 32) == "nan");
}

TEST_CASE("float digits are the fewest that bring back the value where six do not") {
  CHECK(FloatDigits(1.0F / 3, 32) == "0.33333334");
  CHECK(FloatDigits(1234567, 32) == "1234567");
  CHECK(FloatDigits(3.4028234663852886e38, 32) == "3.4028235e+38");
  CHECK(FloatDigits(0.4000000059604645, 64) == "0.4000000059604645");
  CHECK(FloatDigits(0.1, 64) == "0.1");
}

TEST_CASE("every non-trivial operand has a line, and numbers go on through the module") {
  CheckSame(R"(def @Alpha(%x: Tensor[(2), float32], %y: Tensor[(2), float32]) {
  %0 = add(%x, %y);
  %1 = add(%0, %x);
  nn.relu(%1)
}

def @main(%x1: Tensor[(2), float32], %y1: Tensor[(2), float32]) {
  %2 = add(%x1, %y1);
  %3 = add(%2, %x1);
  nn.relu(%3)
}
)");
}

TEST_CASE("functions are sorted by name and their variables get numbers") {
  CHECK(Reprint("def @b(%x: int32) { %x }\ndef @a(%x: int32, %x1: int32) { %x }\ndef @B() { 1 }\n") == R"(def @B() {
  1
}

def @a(%x: int32, %x1: int32) {
  %x
}

def @b(%x2: int32) {
  %x2
}
)");
}

TEST_CASE("a callee is rendered before the arguments but bound after them") {
  CHECK(Reprint(R"(def @main() {
  %5 = fn (%x) { add(add(%x, %x), 1) };
  %2 = fn (%y) { multiply(multiply(%y, %y), 2) };
  %5(%2(3), add(4, 5))
}
)") == R"(def @main() {
  %2 = fn (%y) {
    %1 = multiply(%y, %y);
    multiply(%1, 2)
  };
  %3 = %2(3);
  %4 = add(4, 5);
  %5 = fn (%x) {
    %0 = add(%x, %x);
    add(%0, 1)
  };
  %5(%3, %4)
}
)");
}

TEST_CASE("a condition is bound while the if is rendered") {
  CheckSame(R"(def @main(%x: float32) {
  %0 = log(%x);
  %1 = exp(%x);
  %2 = less(%1, %0);
  %3 = add(%0, %1);
  %4 = if (%2) {
    sqrt(%1)
  } else {
    (%0, %0)
  };
  (%3, %4, %1)
}
)");
}

TEST_CASE("values of a let chain have their lines between its steps") {
  CheckSame(R"(def @main() {
  %0 = abs(1);
  let %a = abs(%0);
  %1 = abs(%a);
  let %b = add(%1, %a);
  %2 = abs(%b);
  add(%2, %a)
}
)");
}

TEST_CASE("a let chain as an operand stands in parentheses") {
  CheckSame(R"(def @main() {
  %0 = abs(1);
  %1 = (
    let %a = abs(%0);
    %a
  );
  add(%1, 2)
}
)");
}

TEST_CASE("a let chain as the value of a let step has none") {
  CHECK(Reprint("def @main() {\n  let %x: float32 = (let %y: float32 = 1f; %y);\n  %x\n}\n") == R"(def @main() {
  let %x: float32 = let %y: float32 = 1f;
  %y;
  %x
}
)");
}

TEST_CASE("a value that is used twice is not written in place") {
  CheckSame(R"(def @main() {
  %0 = (0, 0);
  let %x = %0;
  (%0, %x)
}
)");
}

TEST_CASE("types, tuples and their comments") {
  const std::string text =
      R"(def @main(%x: Tensor[(2, 2), float32] /* ty=Tensor[(2, 2), float32] */) -> (Tensor[(2, 2), float32],) {
  %0 = (%x, 1f /* ty=float32 */) /* ty=(Tensor[(2, 2), float32], float32) */;
  %1 = %0.1 /* ty=float32 */;
  %2 = add(%x, %1) /* ty=Tensor[(2, 2), float32] */;
  (%2,) /* ty=(Tensor[(2, 2), float32],) */
}
)";
  CHECK(ReprintTyped(text) == text);
  CHECK(Print(Read(text, true), {.types = TypePrinting::kNone}) ==
        R"(def @main(%x: Tensor[(2, 2), float32]) -> (Tensor[(2, 2), float32],) {
  %0 = (%x, 1f);
  %1 = %0.1;
  %2 = add(%x, %1);
  (%2,)
}
)");
}

TEST_CASE("annotations of every kind of type") {
  CheckSame(
      R"(def @main(%a: Tensor[(3), float32], %b: float32, %c: Tensor[(1, ?), float32], %e: Tensor[(3i64, 4i64), int8], %f: (), %g: (bool,), %h: fn (Tensor[(1), float32]) -> (Tensor[(2), float16], int64), %i: ref(int32)) {
  ()
}
)");
}

TEST_CASE("literals of every type") {
  CheckSame(R"(def @main() {
  (42, 42i64, -32768i16, True, False, 0.1f, 0.0999756f16, 1e+300f64, inff, -inff, nanf, inff64, -9223372036854775808i64)
}
)");
}

TEST_CASE("references, matches and constructors") {
  const std::string text = R"(type List[A] {
  Cons(A, List[A]),
  Nil,
}

type Void {
  
}

def @main(%x: List[int32]) {
  %0 = ref(%x);
  let %r = ref_read(%0);
  let %w = ref_write(%0, Nil);
  match? (%r) {
    Cons(%h, Cons(%g: int32, _)) => {
      add(%h, %g)
    },
    Cons(%h1, Nil) => {
      %h1
    },
  }
}
)";
  CHECK(Reprint(text) == text.substr(0, text.find("  let %w")) + R"(  %1 = Nil;
  let %w = ref_write(%0, %1);
)" + text.substr(text.find("  match?")));
}

TEST_CASE("attributes: defaults are left out, required fields are not") {
  CheckSame(R"(def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(8, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]);
  %1 = clip(%0, a_min=-inff, a_max=0.123456789f);
  %2 = cast(%1, dtype="int8");
  %3 = transpose(%2, axes=None);
  strided_slice(%3, begin=[0, 0], end=[1, 1099511627776i64], strides=[1], axes=None)
}
)");
}

TEST_CASE("function attributes") {
  CheckSame(R"(def @f(%x: int32, e=[1, 2, [3, "x"]], f=None) {
  %x
}

def @main(%x1: int32, a=1, b=1099511627776i64, c="q", d=0.1f64) {
  %x1
}
)");
}

TEST_CASE("text without the metadata section") {
  const std::string text = R"(def @main(%x {virtual_device=meta[VirtualDevice][0]}: int32) {
  %x
}

#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["VirtualDevice"], "data": [2]},
  {"type_key": "Array", "data": [3]}, {"type_key": "VirtualDevice", "attrs":
  {"device_type_int": "1", "virtual_device_id": "0", "target": "0", "memory_scope": "4"}},
  {"type_key": "runtime.String"}]})";
  CHECK(Reprint(text, {.metadata = MetadataPrinting::kOmitted}) ==
        "def @main(%x {virtual_device=VirtualDevice(device_type=1, virtual_device_id=0)}: int32) {\n  %x\n}\n");
}

TEST_CASE("span comments") {
  CheckSame("def @main(%x: int32) {\n  abs(%x)\n}\n");
  const std::string text = "def @main(%x: int32 /* span=a.b:0:0 */) {\n  abs(%x) /* span=model.onnx:3:7 */\n}\n";
  CHECK(Reprint(text, {.spans = true}) == text);
  CHECK(Reprint(text) == "def @main(%x: int32) {\n  abs(%x)\n}\n");
}

TEST_CASE("printing at any depth costs no stack") {
  constexpr uint32_t kDepth = 200'000;
  Module module;
  Context& context = module.context();
  const OpInstanceId abs = InternOpInstance(context, {"abs"_op, {}});
  FunctionBuilder builder(context);
  ExprId value = builder.Var({context.Intern("x"), context.Scalar(DataType::Float(32)), {}});
  const ExprId param = value;
  for (uint32_t i = 0; i < kDepth; ++i) {
    value = builder.OpCall(abs, {&value, 1});
    // A closure without parameters, called at once, every thousand operators.
    if (i % 1000 == 0) value = builder.Call(builder.Lambda({}, {}, value), {});
  }
  const ExprId root = builder.Lambda({}, {&param, 1}, value);
  module.SetFunction(module.NameGlobal("main"), std::make_shared<const Function>(Relayout(builder.Finish(root))));
  const std::string text = Print(module);
  CHECK(std::count(text.begin(), text.end(), '{') == kDepth / 1000 + 1);
  CHECK(text.ends_with("}\n"));
}

TEST_CASE("text reaches the sink in pieces") {
  class CountingSink final : public TextSink {
   public:
    void Write(std::string_view text) override {
      size += text.size();
      largest = std::max(largest, text.size());
    }
    size_t size = 0;
    size_t largest = 0;
  };
  std::string body = "def @main(%x: float32) {\n";
  for (int i = 0; i < 20'000; ++i)
    body += "  %" + std::to_string(i) + " = abs(" + (i == 0 ? "%x" : "%" + std::to_string(i - 1)) + ");\n";
  body += "  abs(%19999)\n}\n";
  CountingSink sink;
  PrintModule(Read(body, false), {}, sink);
  CHECK(sink.size == kVersion.size() + body.size());
  CHECK(sink.largest < 100'000);
}

TEST_CASE("types in messages name symbolic dimensions") {
  Module module;
  Context& context = module.context();
  const ObjectId name = context.AddString("n");
  const ObjectField fields[] = {{context.Intern("name"), {}, name}};
  Object variable;
  variable.type_key = context.Intern("tir.Var");
  variable.fields = fields;
  const Dim n = Dim::Expr(context.Add(variable));
  const Dim sum = Add(context, n, Dim(1));
  const TypeId tensor = context.Tensor({n, sum, Dim::Any(), Dim(3, 64)}, DataType::Float(32));
  CHECK(TypeToString(context, tensor) == "Tensor[(n, (n + 1), ?, 3), float32]");
  CHECK(TypeToString(context, context.FreshIncomplete()) == "?");
}

}  // namespace relayopt
