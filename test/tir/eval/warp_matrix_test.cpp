// The matrix instructions of PTX against plain products. Each program loads the fragments of its threads by the
// formulas that the PTX ISA gives for this shape (g and t are the thread's group and its number in it, p the product of
// a quad pair, i the element), multiplies, stores the result by the formula for the accumulators, and asserts that it
// is what a loop computes.
#include <catch2/catch.hpp>
#include <string>

#include "relayopt/tir/eval/evaluator.h"
#include "relayopt/tir/script/module_text.h"

namespace relayopt::tir {
namespace {

struct Formula {
  int count;
  std::string row, column;
};

struct Case {
  std::string name;
  int m, n, k;
  std::string a, b, c;
  std::string layouts;
  Formula of_a, of_b, of_c;
  std::string bits;
};

// Types by the names that PTX has for them.
auto Memory(const std::string& type) -> std::string {
  if (type == "fp16") return "float16";
  if (type == "bf16") return "bfloat16";
  if (type == "fp32" || type == "tf32") return "float32";
  return type == "fp64" ? "float64" : type;
}

void Replace(std::string& text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

// An element of a matrix of product p, small and different enough.
auto Element(const std::string& type, const std::string& p, const std::string& row, const std::string& column,
             bool is_a) -> std::string {
  const std::string sum = "((" + p + ") * 5 + (" + row + ") * " + (is_a ? "3" : "5") + " + (" + column + ") * " +
                          (is_a ? "7" : "2") + " + (" + row + ") * (" + column + "))";
  std::string value = sum + " % 11 - 5";
  if (type.starts_with("uint")) value = sum + " % 13";
  if (type == "int4") value = sum + " % 15 - 7";
  if (type == "int1") value = "T.Cast(\"int32\", " + sum + " % 7 < 3)";
  return "T.Cast(\"" + Memory(type) + "\", " + value + ")";
}

auto Script(const Case& c) -> std::string {
  const bool is_quad = c.layouts != "row, col" || (c.m == 8 && c.a == "fp16");
  std::string text = R"(
@T.prim_func
def main(C: T.Buffer((P, M, N), "TC")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        a = T.allocate([NA], "TA", "local")
        b = T.allocate([NB], "TB", "local")
        c = T.allocate([NC], "TC", "local")
        a_1 = T.Buffer((NA,), "TA", data=a, scope="local")
        b_1 = T.Buffer((NB,), "TB", data=b, scope="local")
        c_1 = T.Buffer((NC,), "TC", data=c, scope="local")
        for i in range(NA):
            a_1[i] = VALUE_A
        for i in range(NB):
            b_1[i] = VALUE_B
        for i in range(NC):
            c_1[i] = T.Cast("TC", (ROW_C) * 2 - (COLUMN_C))
        T.evaluate(T.ptx_mma("TC", "SHAPE", LAYOUTS, "a_type", "b_type", "c_type", a, 0, b, 0, c, 0, False BITS))
        for i in range(NC):
            C[PRODUCT, ROW_C, COLUMN_C] = c_1[i]
    sum = T.allocate([1], "TC", "global")
    sum_1 = T.Buffer((1,), "TC", data=sum)
    for p, row, column in T.grid(P, M, N):
        sum_1[0] = T.Cast("TC", row * 2 - column)
        for i in range(K):
            sum_1[0] = sum_1[0] + TERM
        with T.Assert(C[p, row, column] == sum_1[0], "SHAPE"):
            T.evaluate(0)
)";
  const std::string product = is_quad ? "tx % 16 // 4" : "0";
  const std::string x = Element(c.a, "p", "row", "i", true), y = Element(c.b, "p", "i", "column", false);
  const auto as = [&](const std::string& of) { return "T.Cast(\"" + Memory(c.c) + "\", " + of + ")"; };
  std::string term = as(x) + " * " + as(y);
  if (c.bits == "xor") term = "T.Cast(\"int32\", " + x + " != " + y + ")";
  Replace(text, "TERM", term);
  Replace(text, "VALUE_A", Element(c.a, product, c.of_a.row, c.of_a.column, true));
  Replace(text, "VALUE_B", Element(c.b, product, c.of_b.row, c.of_b.column, false));
  Replace(text, "ROW_C", c.of_c.row);
  Replace(text, "COLUMN_C", c.of_c.column);
  Replace(text, "PRODUCT", product);
  std::string layouts = "\"" + c.layouts + "\"";
  Replace(layouts, ", ", "\", \"");
  Replace(text, "LAYOUTS", layouts);
  Replace(text, " BITS", c.bits.empty() ? "" : ", \"" + c.bits + "\"");
  Replace(text, "SHAPE", "m" + std::to_string(c.m) + "n" + std::to_string(c.n) + "k" + std::to_string(c.k));
  Replace(text, "TA", Memory(c.a));
  Replace(text, "TB", Memory(c.b));
  Replace(text, "TC", Memory(c.c));
  Replace(text, "a_type", c.a);
  Replace(text, "b_type", c.b);
  Replace(text, "c_type", c.c);
  Replace(text, "NA", std::to_string(c.of_a.count));
  Replace(text, "NB", std::to_string(c.of_b.count));
  Replace(text, "NC", std::to_string(c.of_c.count));
  Replace(text, "(P, M, N)",
          "(" + std::string(is_quad ? "4" : "1") + ", " + std::to_string(c.m) + ", " + std::to_string(c.n) + ")");
  Replace(text, "range(K)", "range(" + std::to_string(c.k) + ")");
  Replace(text, "{g}", "tx // 4");
  Replace(text, "{t}", "tx % 4");
  Replace(text, "{h}", "tx // 16 * 4");
  return text;
}

const Formula kC4 = {4, "{g} + i // 2 * 8", "{t} * 2 + i % 2"};
const Formula kC2 = {2, "{g}", "{t} * 2 + i"};
const Formula kQuadHalf = {8, "{t} + {h}", "i"};
const Formula kQuadFloat = {8, "{t} % 2 + i // 2 % 2 * 2 + {h}", "i // 4 * 4 + {t} // 2 * 2 + i % 2"};
const Formula kQuadRowA = {4, "{t} + {h}", "i"};
const Formula kQuadColumnA = {4, "i + {h}", "{t}"};
const Formula kQuadRowB = {4, "{t}", "i + {h}"};
const Formula kQuadColumnB = {4, "i", "{t} + {h}"};
const Formula kHalfA16 = {8, "{g} + i % 4 // 2 * 8", "{t} * 2 + i % 2 + i // 4 * 8"};
const Formula kHalfB16 = {4, "{t} * 2 + i % 2 + i // 2 * 8", "{g}"};
const Formula kHalfA8 = {4, "{g} + i // 2 * 8", "{t} * 2 + i % 2"};
const Formula kHalfB8 = {2, "{t} * 2 + i", "{g}"};
const Formula kByteA32 = {16, "{g} + i // 4 % 2 * 8", "{t} * 4 + i % 4 + i // 8 * 16"};
const Formula kByteB32 = {8, "{t} * 4 + i % 4 + i // 4 * 16", "{g}"};
const Formula kByteA16 = {8, "{g} + i // 4 * 8", "{t} * 4 + i % 4"};
const Formula kByteB16 = {4, "{t} * 4 + i", "{g}"};

const Case kCases[] = {
    {"m8n8k4 f64", 8, 8, 4, "fp64", "fp64", "fp64", "row, col", {1, "{g}", "{t}"}, {1, "{t}", "{g}"}, kC2, ""},
    {"m8n8k4 f16 row col", 8, 8, 4, "fp16", "fp16", "fp16", "row, col", kQuadRowA, kQuadColumnB, kQuadHalf, ""},
    {"m8n8k4 f16 row row", 8, 8, 4, "fp16", "fp16", "fp32", "row, row", kQuadRowA, kQuadRowB, kQuadFloat, ""},
    {"m8n8k4 f16 col col", 8, 8, 4, "fp16", "fp16", "fp32", "col, col", kQuadColumnA, kQuadColumnB, kQuadFloat, ""},
    {"m8n8k4 f16 col row", 8, 8, 4, "fp16", "fp16", "fp16", "col, row", kQuadColumnA, kQuadRowB, kQuadHalf, ""},
    {"m16n8k8 f16", 16, 8, 8, "fp16", "fp16", "fp16", "row, col", kHalfA8, kHalfB8, kC4, ""},
    {"m16n8k8 bf16", 16, 8, 8, "bf16", "bf16", "fp32", "row, col", kHalfA8, kHalfB8, kC4, ""},
    {"m16n8k16 f16", 16, 8, 16, "fp16", "fp16", "fp32", "row, col", kHalfA16, kHalfB16, kC4, ""},
    {"m16n8k16 bf16", 16, 8, 16, "bf16", "bf16", "fp32", "row, col", kHalfA16, kHalfB16, kC4, ""},
    {"m16n8k4 tf32",
     16,
     8,
     4,
     "tf32",
     "tf32",
     "fp32",
     "row, col",
     {2, "{g} + i * 8", "{t}"},
     {1, "{t}", "{g}"},
     kC4,
     ""},
    {"m16n8k8 tf32",
     16,
     8,
     8,
     "tf32",
     "tf32",
     "fp32",
     "row, col",
     {4, "{g} + i % 2 * 8", "{t} + i // 2 * 4"},
     {2, "{t} + i * 4", "{g}"},
     kC4,
     ""},
    {"m8n8k16 s8", 8, 8, 16, "int8", "int8", "int32", "row, col", {4, "{g}", "{t} * 4 + i"}, kByteB16, kC2, ""},
    {"m16n8k16 s8 u8", 16, 8, 16, "int8", "uint8", "int32", "row, col", kByteA16, kByteB16, kC4, ""},
    {"m16n8k32 s8", 16, 8, 32, "int8", "int8", "int32", "row, col", kByteA32, kByteB32, kC4, ""},
    {"m16n8k32 u8 s8", 16, 8, 32, "uint8", "int8", "int32", "row, col", kByteA32, kByteB32, kC4, ""},
    {"m8n8k32 s4",
     8,
     8,
     32,
     "int4",
     "int4",
     "int32",
     "row, col",
     {8, "{g}", "{t} * 8 + i"},
     {8, "{t} * 8 + i", "{g}"},
     kC2,
     ""},
    {"m16n8k32 s4 u4",
     16,
     8,
     32,
     "int4",
     "uint4",
     "int32",
     "row, col",
     {16, "{g} + i // 8 * 8", "{t} * 8 + i % 8"},
     {8, "{t} * 8 + i", "{g}"},
     kC4,
     ""},
    {"m16n8k64 u4",
     16,
     8,
     64,
     "uint4",
     "uint4",
     "int32",
     "row, col",
     {32, "{g} + i // 8 % 2 * 8", "{t} * 8 + i % 8 + i // 16 * 32"},
     {16, "{t} * 8 + i % 8 + i // 8 * 32", "{g}"},
     kC4,
     ""},
    {"m8n8k128 b1",
     8,
     8,
     128,
     "int1",
     "int1",
     "int32",
     "row, col",
     {32, "{g}", "{t} * 32 + i"},
     {32, "{t} * 32 + i", "{g}"},
     kC2,
     "xor"},
    {"m16n8k128 b1",
     16,
     8,
     128,
     "int1",
     "int1",
     "int32",
     "row, col",
     {64, "{g} + i // 32 * 8", "{t} * 32 + i % 32"},
     {32, "{t} * 32 + i", "{g}"},
     kC4,
     "and"},
    {"m16n8k256 b1",
     16,
     8,
     256,
     "int1",
     "int1",
     "int32",
     "row, col",
     {128, "{g} + i // 32 % 2 * 8", "{t} * 32 + i % 32 + i // 64 * 128"},
     {64, "{t} * 32 + i % 32 + i // 32 * 128", "{g}"},
     kC4,
     "xor"},
};

TEST_CASE("matrix instructions compute products", "[tir]") {
  for (const Case& c : kCases) {
    INFO(c.name);
    const std::string text = Script(c);
    INFO(text);
    Module module;
    DiagnosticSink sink;
    const bool is_read = ReadInto(module, SourceText::FromString("test", text), sink, 0);
    for (const Diagnostic& diagnostic : sink.diagnostics()) UNSCOPED_INFO(diagnostic.text);
    REQUIRE(is_read);
    Evaluator evaluator(module);
    const GlobalId main = module.FindGlobal("main");
    const Input input = evaluator.InputsOf(main)[0];
    const bool is_quad = c.of_a.count == 4 && c.m == 8 && c.a == "fp16";
    const Argument argument{input.var, Tensor(*ParseDataType(Memory(c.c)), {is_quad ? 4 : 1, c.m, c.n})};
    const auto outcome = evaluator.Call(main, {&argument, 1});
    if (!outcome) UNSCOPED_INFO(outcome.error().text);
    CHECK(outcome);
  }
}

}  // namespace
}  // namespace relayopt::tir
