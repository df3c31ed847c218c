// Reading and printing TVMScript as a library.
#include "relayopt/tir/script/script.h"

#include <catch2/catch.hpp>

#include "relayopt/tir/analysis/equality.h"

namespace relayopt::tir {
namespace {

auto Read(Context& context, const std::string& text) -> std::optional<ScriptModule> {
  DiagnosticSink sink;
  const auto source = SourceText::FromString("test", text);
  auto module = ReadScript(*source, context, sink);
  for (const Diagnostic& diagnostic : sink.diagnostics()) UNSCOPED_INFO(diagnostic.text);
  return module;
}

TEST_CASE("what is printed reads back as the same program", "[tir]") {
  Context context;
  const auto first = Read(context, R"(
@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), n: T.handle):
    m = T.int32()
    B = T.match_buffer(n, (m,), "int8", strides=("s",), offset_factor=4)
    C = T.alloc_buffer((16,), scope="shared")
    for i, j in T.grid(16, 16):
        with T.block("one"):
            vi, vj = T.axis.remap("SR", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vi])
            T.where(i < 8)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + T.if_then_else(vj < 4, A[vi, vj], T.exp(A[vi, 0]))
)");
  REQUIRE(first);
  const std::string text = PrintScript(*first, context);
  const auto second = Read(context, text);
  REQUIRE(second);
  CHECK(StructuralEqual(*first->functions[0].function, *second->functions[0].function));
  CHECK(PrintScript(*second, context) == text);
}

TEST_CASE("programs that differ in one literal are not equal", "[tir]") {
  Context context;
  const std::string text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    A[0] = ";
  const auto one = Read(context, text + "1\n");
  const auto two = Read(context, text + "2\n");
  REQUIRE(one);
  REQUIRE(two);
  CHECK(!StructuralEqual(*one->functions[0].function, *two->functions[0].function));
}

TEST_CASE("a hundred thousand nested statements and operators read and print", "[tir]") {
  Context context;
  std::string text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), x: T.int32):\n";
  for (int i = 0; i < 100000; ++i) text += "    T.attr(0, \"key\", 1)\n";
  text += "    A[0] = ";
  for (int i = 0; i < 100000; ++i) text += "x // (";
  text += "x";
  for (int i = 0; i < 100000; ++i) text += ")";
  const auto module = Read(context, text + "\n");
  REQUIRE(module);
  CHECK(module->functions[0].function->size() == 100001);
  CHECK(PrintScript(*module, context).size() > 2000000);
}

TEST_CASE("an expression prints alone, without its declarations", "[tir]") {
  Context context;
  Terms& terms = context.Part<Terms>();
  const PrimExpr n = terms.Var("main.A.shape", DataType::Int(32));
  CHECK(PrintExpr(context, terms.Binary(PrimKind::kEQ, n, terms.Int32(3))) == "main_A_shape == 3");
}

}  // namespace
}  // namespace relayopt::tir
