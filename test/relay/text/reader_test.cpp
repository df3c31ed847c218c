// The reader through its interface: what a text means, shown by printing it back, and what is reported about it.
#include "relayopt/relay/text/reader.h"

#include <catch2/catch.hpp>

#include "relayopt/relay/analysis/verifier.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

namespace {

constexpr std::string_view kHeader = "#[version = \"0.0.5\"]\n";

struct Reading {
  std::shared_ptr<const SourceText> source;
  DiagnosticSink sink;
  std::optional<Module> module;

  // The ids of the diagnostics, in order, separated by blanks.
  auto Ids() const -> std::string {
    std::string ids;
    for (const Diagnostic& diagnostic : sink.diagnostics()) {
      ids += fmt::format("{}{}", ids.empty() ? "" : " ", diagnostic.kind->id);
    }
    return ids;
  }
  auto Main() const -> const Function& { return *module->function<Function>(module->FindGlobal("main")); }
};

auto Read(std::string text, const ReadOptions& options = {}) -> Reading {
  Reading reading;
  reading.source = SourceText::FromString("test", std::move(text));
  reading.module = ReadModule(reading.source, reading.sink, options);
  CHECK(reading.module.has_value() == !reading.sink.has_errors());
  if (reading.module) {
    for (const GlobalId id : reading.module->SortedFunctions<Function>()) {
      const auto error = Verify(*reading.module, *reading.module->function<Function>(id));
      CHECK(!error.has_value());
    }
  }
  return reading;
}

auto ReadBody(std::string_view body) -> Reading {
  return Read(fmt::format("{}def @main(%x: int32, %c: bool) {{\n{}\n}}\n", kHeader, body));
}

// How a function with this body prints.
auto Body(std::string_view body) -> std::string {
  const Reading reading = ReadBody(body);
  INFO(body);
  REQUIRE(reading.Ids().empty());
  const std::string text = PrintModule(*reading.module);
  const size_t start = text.find("{\n") + 2;
  return text.substr(start, text.size() - start - 3);
}

auto BodyIds(std::string_view body) -> std::string { return ReadBody(body).Ids(); }
auto Ids(std::string_view text) -> std::string { return Read(std::string(kHeader) + std::string(text)).Ids(); }

// The text prints as it is written.
void CheckPrintsAsWritten(std::string_view text) {
  const std::string whole = std::string(kHeader) + std::string(text);
  const Reading reading = Read(whole);
  INFO(whole);
  REQUIRE(reading.Ids().empty());
  CHECK(PrintModule(*reading.module) == whole);
}

}  // namespace

TEST_CASE("numbers", "[reader]") {
  CHECK(Body("(1, 1i, 1i16, 1i64, -05, 2147483648, -2147483648)") ==
        "  (1, 1, 1i16, 1i64, -5, 2147483648i64, -2147483648)");
  CHECK(Body("(1f, 5.f, 1E+3f, 007.5f, 1e-05f32, 1f16, 0.25f64)") == "  (1f, 5f, 1000f, 7.5f, 1e-05f, 1f16, 0.25f64)");
  CHECK(Body("(-9223372036854775808i64, 3.4028235e38f, 65504f16)") ==
        "  (-9223372036854775808i64, 3.4028235e+38f, 65504f16)");
  CHECK(Body("(inff, -inff, inff16, -inff64, nanf, nanf16, nanf64)") ==
        "  (inff, -inff, inff16, -inff64, nanf, nanf16, nanf64)");
  CHECK(Body("(--1, ---1)") == "  (1, -1)");
  CHECK(BodyIds("1.0") == "invalid-integer");
  CHECK(BodyIds("1i8") == "literal-width");
  CHECK(BodyIds("1f8") == "literal-width");
  CHECK(BodyIds("40000i16") == "integer-range");
  CHECK(BodyIds("9223372036854775808") == "integer-range");
  CHECK(BodyIds("-9223372036854775809i64") == "integer-range");
  CHECK(BodyIds("(70000f16, 1e39f, 1e400f64)") == "float-range float-range float-range");
  CHECK(BodyIds("- 1") == "minus-space");
}

TEST_CASE("a float32 literal is rounded from the double that is written", "[reader]") {
  const Reading reading = ReadBody("0.1234567891f");
  const Function& main = reading.Main();
  CHECK(main.constant(main.body()).ScalarAsDouble() == static_cast<double>(static_cast<float>(0.1234567891)));
}

TEST_CASE("operators", "[reader]") {
  CHECK(Body("1 - 2 - 3 * 4 / 5 < 6 == 7 != 8") ==
        "  %0 = multiply(3, 4);\n  %1 = subtract(1, 2);\n  %2 = divide(%0, 5);\n  %3 = subtract(%1, %2);\n"
        "  %4 = less(%3, 6);\n  %5 = equal(%4, 7);\n  not_equal(%5, 8)");
  CHECK(Body("1+2-3") == "  %0 = add(1, 2);\n  subtract(%0, 3)");
  CHECK(Body("1 - -1") == "  subtract(1, -1)");
  CHECK(Body("%x-1") == "  subtract(%x, 1)");
  CHECK(Body("1 >= 2 <= 3") == "  %0 = greater_equal(1, 2);\n  less_equal(%0, 3)");
  CHECK(BodyIds("1 ==+ 2") == "expected");
  CHECK(BodyIds("(1, 2 -1)") == "glued-minus");
}

TEST_CASE("tuples and projections", "[reader]") {
  CHECK(Body("()") == "  ()");
  CHECK(Body("(1)") == "  1");
  CHECK(Body("(1,)") == "  (1,)");
  CHECK(Body("(1, 2 3,)") == "  (1, 2, 3)");
  CHECK(Body("((1, (2, 3)).1.0, (1, 2) . 1)") ==
        "  %0 = (2, 3);\n  %1 = (1, %0);\n  %2 = %1.1;\n  %3 = (1, 2);\n  %4 = %2.0;\n  %5 = %3.1;\n  (%4, %5)");
  CHECK(Body("nn.dropout(%x).0") == "  %0 = nn.dropout(%x);\n  %0.0");
  CHECK(BodyIds("(1 2)") == "expected");
  CHECK(BodyIds("%x.y") == "expected");
}

TEST_CASE("constructs may stand in every place", "[reader]") {
  CHECK(Body("let %y = if (%c) { 1 } else { 2 };\n%y") == "  let %y = if (%c) {\n    1\n  } else {\n    2\n  };\n  %y");
  CHECK(Body("{ 1 } + 2") == "  add(1, 2)");
  CHECK(Body("%0 = (let %y = 1; %y); add(%0, %0)") == "  %0 = (\n    let %y = 1;\n    %y\n  );\n  add(%0, %0)");
  CHECK(Body("%0 = let %y = 1; %y; add(%0, %0)") == "  %0 = (\n    let %y = 1;\n    %y\n  );\n  add(%0, %0)");
  CHECK(Body("let %a = let %b = 1;\n%b;\n%a") == "  let %a = let %b = 1;\n  %b;\n  %a");
  CHECK(Body("1; ref_write(ref(2), 3)") == "  let %v = 1;\n  %0 = ref(2);\n  ref_write(%0, 3)");
  CHECK(BodyIds("1;") == "expected");
  CheckPrintsAsWritten(
      "type List[A] {\n  Nil,\n  Cons(A, List[A]),\n}\n\n"
      "def @main(%l: List[int32]) {\n"
      "  %0 = match (%l) {\n    Cons(%h: int32, Cons(_, _)) => {\n      %h\n    },\n    Nil => {\n      0\n    },\n"
      "    _ => {\n      1\n    },\n  };\n  add(%0, %0)\n}\n");
}

TEST_CASE("let chains are one node", "[reader]") {
  const Reading reading = ReadBody("let %a = 1; let %b = %a; 2; %0 = add(%a, %b); let %d = %0; %d");
  const Function& main = reading.Main();
  REQUIRE(main.kind(main.body()) == ExprKind::kLet);
  CHECK(main.let_size(main.body()) == 4);
}

TEST_CASE("scopes", "[reader]") {
  CHECK(Body("let %f = fn (%n: int32) {\n%f(%n)\n};\n%f(1)") ==
        "  let %f = fn (%n: int32) {\n    %f(%n)\n  };\n  %f(1)");
  // The reference ignores the second %x.
  CHECK(BodyIds("let %x = add(%x, 1); %x") == "rebound");
  CHECK(PrintModule(*ReadBody("let %x = add(%x, 1); %x").module).ends_with("let %x1 = add(%x, 1);\n  %x1\n}\n"));
  CHECK(BodyIds("let %y = 1; let %y = add(%y, 1); %y") == "self-reference");
  CHECK(BodyIds("{ let %y = 1; %y }; %y") == "unknown-local");
  CHECK(BodyIds("if (%c) { let %y = 1; %y } else { %y }") == "unknown-local");
  CHECK(Ids("def @main(%x: int32, %x: int64) { %x }") == "repeated-parameter");
  CHECK(BodyIds("free_var %y: int32; %y") == "free-variable");
  CHECK(Body("free_var %y: int32; 1") == "  1");
  CHECK(BodyIds("let %f = fn (%z) { %0 = add(%z, 1); %0 }; %0") == "free-variable");
}

TEST_CASE("graph variables", "[reader]") {
  CHECK(Body("if (%c) { %0 = add(1, 2); %0 } else { %0 }") ==
        "  if (%c) {\n    %0 = add(1, 2);\n    %0\n  } else {\n    %0\n  }");
  CHECK(BodyIds("%0 = 1; %0 = 2; %0") == "redefined-graph-variable");
  CHECK(PrintModule(*ReadBody("%0 = 1; %0 = 2; %0").module).ends_with("  2\n}\n"));
  CHECK(BodyIds("%1") == "unknown-graph-variable");
  CHECK(BodyIds("%1 = %1; %1") == "unknown-graph-variable");
  CHECK(Body("%99999999999 = 1; %99999999999") == "  1");
  const std::string twice = "def @a() { %0 = add(1, 2); %0 } def @b() { %0 = 3; %0 }";
  CHECK(Ids(twice) == "redefined-graph-variable");
  // What functions share is printed in the first of them only.
  CheckPrintsAsWritten("def @a(%x: int32) {\n  %0 = add(%x, %x);\n  abs(%0)\n}\n");
  const Reading shared = Read(std::string(kHeader) +
                              "def @a(%x: int32) { %0 = abs(%x); %1 = add(%0, %x); %1 }\n"
                              "def @b(%x-malformed-ir) { negative(%1) }\n");
  REQUIRE(shared.Ids().empty());
  CHECK(PrintModule(*shared.module)
            .ends_with("def @b(%x1: int32) {\n  %1 = abs(%x1);\n  %2 = add(%1, %x1);\n"
                       "  negative(%2)\n}\n"));
}

TEST_CASE("names that the reference prints but cannot read", "[reader]") {
  CheckPrintsAsWritten(
      "def @main(%input:0: int32, %a.1: int32, %e24a6638-b332-4e67: int32, %conv1/7x7: int32, %if: int32, "
      "%inffoo: int32) {\n  (%input:0, %a.1, %e24a6638-b332-4e67, %conv1/7x7, %if, %inffoo)\n}\n");
  CHECK(Ids("def @main(%x:int32, %y:(int32,), %z :int32) { (%x, %y, %z) }").empty());
  CHECK(Ids("def @main(%9z: int32, %0: int32) { (%9z, %0) }").empty());
  CheckPrintsAsWritten("def @main(%x: (int32, int32), %x.0: int32) {\n  %0 = %x.1;\n  (%x.0, %0)\n}\n");
  CHECK(Body("let %a/ = 1; let %b = %a/ ; %b/%x") == "  let %a/ = 1;\n  let %b = %a/;\n  divide(%b, %x)");
}

TEST_CASE("types", "[reader]") {
  CheckPrintsAsWritten(
      "def @main(%a: Tensor[(1, ?, 3i64), float32], %b: (), %c: (bool,), %d: fn (int8x4) -> bool) {\n  ()\n}\n");
  CheckPrintsAsWritten("def @main(%a: ref(int32), %b: fn [A](A, ref(A)) -> A, %c: bfloat16) {\n  ()\n}\n");
  CheckPrintsAsWritten("def @main[A](%a: A, %b: ((nullptr), int32)) -> A {\n  %a\n}\n");
  CHECK(Ids("def @main(%a: _) -> _ { %a }").empty());
  CHECK(Ids("def @main(%a: Tensor[(-1), int32]) { %a }") == "bad-dimension");
  CHECK(Ids("def @main(%a: flot32) { %a }") == "unknown-type");
  CHECK(Ids("def @main(%a: int3x) { %a }") == "unknown-data-type");
  CHECK(Ids("def @main(%a: Tensor[(1), custom[x]16]) { %a }") == "unknown-data-type");
  CHECK(Ids("def @main[A](%a: A[int32]) { %a }") == "type-variable-arguments");
  CHECK(Ids("def @main(%a: (int32 int32)) { %a }") == "expected");
}

TEST_CASE("attributes", "[reader]") {
  CHECK(Body("nn.conv2d(%x, %x, padding=[1, 1], channels=?, kernel_size=[3, 3],)") ==
        "  nn.conv2d(%x, %x, padding=[1, 1], channels=?, kernel_size=[3, 3])");
  CHECK(Body("clip(%x, a_min=-inff, a_max=3)") == "  clip(%x, a_min=-inff, a_max=3f)");
  CHECK(BodyIds("clip(%x, a_min=1f)") == "missing-attribute");
  CHECK(BodyIds("clip(%x)") == "missing-attribute missing-attribute");
  CHECK(BodyIds("nn.softmax(%x, axs=1)") == "unknown-attribute");
  CHECK(BodyIds("add(%x, %x, axis=1)") == "unknown-attribute");
  CHECK(BodyIds("nn.softmax(%x, axis=1.5f)") == "attribute-type");
  CHECK(BodyIds("reshape(%x, newshape=3)") == "attribute-type");
  CHECK(BodyIds("cast(%x, dtype=\"flot\")") == "attribute-data-type");
  CHECK(BodyIds("transpose(%x, axes=[0, 1], axes=[1, 0])") == "duplicate-attribute");
  CHECK(BodyIds("nn.softmax(axis=0, %x)") == "expected");
  CHECK(BodyIds("arange(0, 1, 1, start=%x)") == "attribute-value");
  CHECK(BodyIds("nn.softmax(%x, attrs_type_key=\"relay.attrs.ClipAttrs\")") == "wrong-attributes-class");
  CHECK(BodyIds("(fn (%y) { %y })(1, a=2)") == "no-attributes-class");
  CHECK(BodyIds("(fn (%y) { %y })(1, axis=2, attrs_type_key=\"relay.attrs.SoftmaxAttrs\")").empty());
  // The class is known although the reference never declared it.
  const Reading reading = ReadBody("cumsum(%x, axis=0)");
  CHECK(reading.Ids().empty());
  CHECK(reading.Main().attrs(reading.Main().body()).has_value());
}

TEST_CASE("function attributes are read in map order", "[reader]") {
  CheckPrintsAsWritten(
      "def @main(%x: int32, relay.reshape_only=1, a-b=[1, [?, None]], s=\"q\\\"\\\\\\n\\t\\x01\\xC3\\xA9\") {\n  "
      "%x\n}\n");
  // The order of the reference's hash table.
  const Reading five = Read(std::string(kHeader) + "def @main(k0=1, k1=1, k2=1, k3=1, k4=1) { 1 }");
  CHECK(PrintModule(*five.module).find("(k3=1, k4=1, k0=1, k1=1, k2=1)") != std::string::npos);
  CHECK(Ids("def @main(virtual_device=1) { 1 }") == "virtual-device");
  CHECK(Ids("def @main(%x {virtual_device=None, other=3}: int32) { %x }").empty());
}

TEST_CASE("spans come from comments", "[reader]") {
  const std::string text = std::string(kHeader) +
                           "def @main(%x: int32 /* span=a/b:c:1:2 */) {\n"
                           "  let %y: int32 /* span=n:3:4 */ = 1 /* span=n:5:6 */;\n"
                           "  add(%x, %y) /* span=n:7:8 */\n}\n";
  const Reading reading = Read(text);
  const Function& main = reading.Main();
  const Context& context = reading.module->context();
  const Span& param = context.span(main.span(main.params()[0]));
  CHECK(context.text(param.source) == "a/b:c");
  CHECK(param.line == 1);
  CHECK(param.column == 2);
  PrintOptions options;
  options.spans = true;
  StringSink printed;
  PrintModule(*reading.module, options, printed);
  CHECK(printed.text() == text);
  CHECK(context.span(main.span(main.let_result(main.body()))).line == 7);
  CHECK(context.span(main.span(main.let_value(main.body(), 0))).line == 5);
  CHECK(context.span(main.span(main.let_var(main.body(), 0))).line == 3);
}

TEST_CASE("ranges", "[reader]") {
  const Reading reading = ReadBody("nn.relu( add(%x, 1) )");
  const Function& main = reading.Main();
  const auto text = [&](ExprId id) {
    return reading.source->text().substr(main.range(id).begin, main.range(id).end - main.range(id).begin);
  };
  CHECK(text(main.body()) == "nn.relu( add(%x, 1) )");
  CHECK(text(main.operand(main.body(), 0)) == "add(%x, 1)");
  CHECK(text(main.params()[0]) == "%x");
}

TEST_CASE("comments", "[reader]") {
  CHECK(Body("/* a **/ 1 /* b /* c **/ d */ // e") == "  1");
  CHECK(Ids("def @main() { 1 } /* never") == "unclosed-comment");
  CHECK(Ids("def @main(a=\"never) { 1 }") == "unclosed-string expected");
}

TEST_CASE("definitions", "[reader]") {
  CHECK(Read("def @main() { 1 }").Ids() == "missing-version");
  CHECK(Read("#[version = \"0.0.4\"] def @main() { 1 }").Ids() == "wrong-version");
  CHECK(Read("").Ids() == "empty-text");
  CHECK(Ids("i") == "expected");
  CHECK(Ids("def @main() { 1 } def @main() { 2 }") == "duplicate-function");
  CHECK(Ids("type A { } type A { }") == "duplicate-type");
  CHECK(Ids("type A { C, C }") == "duplicate-constructor");
  CHECK(Ids("extern type A { C }") == "extern-constructors");
  CHECK(Ids("extern type A def @main(%x: A) { %x }").empty());
  CHECK(Ids("def @main() { @other }") == "unknown-global");
  CHECK(Ids("def @main() { 1 } #[other]") == "unsupported-section");
  CHECK(Ids("def @main() { meta[x][0] }") == "missing-metadata");
  CHECK(Ids("def @main(%x: int32) { match (%x) { Foo => 1 } }") == "unknown-constructor");
}

TEST_CASE("several errors are reported in one run", "[reader]") {
  CHECK(Ids("def @a() { let %x = add(1 2); let %y = foo(%z); %y }\ndef @b( { }\ndef @c() { 1 %x }\ndef @d() { 1.5 }") ==
        "expected unknown-operator unknown-local expected expected invalid-integer");
  std::string many = "def @main() {\n";
  for (int i = 0; i < 1000; ++i) many += "let %x = foo(1);\n";
  const Reading reading = Read(std::string(kHeader) + many + "1 }");
  CHECK(reading.sink.errors() == 20);
  CHECK(reading.sink.diagnostics().back().kind->id == "too-many-errors");
}

TEST_CASE("reading deep text costs no stack", "[reader]") {
  constexpr size_t kDepth = 100000;
  const auto nest = [](std::string_view open, std::string_view inside, std::string_view close) {
    std::string text;
    for (size_t i = 0; i < kDepth; ++i) text += open;
    text += inside;
    for (size_t i = 0; i < kDepth; ++i) text += close;
    return text;
  };
  const std::string texts[] = {
      "def @main(%c: bool) {" + nest("(", "%c", ")") + "}",
      "def @main(%c: bool) {" + nest("(", "%c", ",)") + "}",
      "def @main(%c: bool) {" + nest("exp(", "%c", ")") + "}",
      "def @main(%c: bool) {" + nest("{", "%c", "}") + "}",
      "def @main(%c: bool) {" + nest("if (%c) {", "1", "} else { 2 }") + "}",
      "def @main(%c: bool) {" + nest("if (", "%c", ") { %c } else { %c }") + "}",
      "def @main(%c: bool) {" + nest("fn (%x: int32) {", "%x", "}") + "}",
      "def @main(%c: bool) {" + nest("let %x = ", "1", "; %x") + "}",
      "def @main(%c: bool) {" + nest("let %x = 1; ", "%x", "") + "}",
      "def @main(%c: bool) {" + nest("ref_read(ref(", "1", "))") + "}",
      "def @main(%c: bool) {" + nest("%c == %c * ", "1", "") + "}",
      "def @main(%c: bool) { match (%c) {" + nest("(", "_", ")") + " => 1 } }",
      "def @main(%c: " + nest("(", "bool", ",)") + ") { 1 }",
      "def @main(%c: " + nest("fn (", "bool", ") -> bool") + ") { 1 }",
      "def @main(%c: " + nest("ref(", "bool", ")") + ") { 1 }",
      "def @main(%c: bool, a=" + nest("[", "1", "]") + ") { 1 }",
  };
  for (const std::string& text : texts) CHECK(Read(std::string(kHeader) + text).module.has_value());
}

}  // namespace relayopt
