// Sources, modules, contexts and sessions that several threads use at once. ThreadSanitizer runs these tests.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "relayopt/module/print.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/transforms/pass_callbacks.h"
#include "relayopt/relayopt.h"
#include "relayopt/support/parallel.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr size_t kThreads = 4;

// Adds zero, and subtracts equal terms, `lines` times: strict and loose simplification differ in every line.
auto FloatProgram(int lines) -> std::string {
  std::string text =
      "from tvm.script import tir as T\n@T.prim_func\n"
      "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n";
  for (int i = 0; i < lines; ++i) {
    text += "    B[" + std::to_string(i % 8) + "] = T.Add(A[0], T.float32(0)) + T.Sub(A[" + std::to_string(i % 7) +
            "], A[" + std::to_string(i % 7) + "])\n";
  }
  return text;
}

auto Simplified(const Module& module, bool is_strict) -> std::string {
  SessionOptions options;
  options.context.strict_fp = is_strict;
  Session session(options);
  Module copy = module;
  if (!session.Run(copy, "tir.Simplify")) return "failed";
  return PrintModule(copy);
}

// Asks for the NCHW8c form of every convolution.
auto AltersLayouts() -> std::shared_ptr<PassCallbacks> {
  auto callbacks = std::make_shared<PassCallbacks>();
  callbacks->choose_layout = [](const Function& function, ExprId call, AttrsId attrs) -> std::optional<OpInstance> {
    const auto* old = function.context().As<Conv2DAttrs>(attrs);
    if (old == nullptr) return std::nullopt;
    Conv2DAttrs changed = *old;
    changed.data_layout = "NCHW8c";
    return OpInstance{function.op(call), function.context().InternAttrs(changed)};
  };
  return callbacks;
}

}  // namespace

TEST_CASE("threads that ask for positions in one source get the same answers", "[threads]") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "x\n";
  for (int round = 0; round < 20; ++round) {
    const auto source = SourceText::FromString("a", text);
    std::vector<uint32_t> lines(kThreads);
    std::vector<size_t> sizes(kThreads);
    ParallelFor(kThreads, kThreads, [&](size_t i) {
      lines[i] = source->Position(5998).line;
      sizes[i] = source->Line(2999).size();
    });
    CHECK(lines == std::vector<uint32_t>(kThreads, 3000));
    CHECK(sizes == std::vector<size_t>(kThreads, 1));
  }
}

TEST_CASE("sessions that are strict about floats do not disturb others on copies of a module", "[threads]") {
  Session first;
  const auto module = first.Read("t.py", FloatProgram(50));
  REQUIRE(module);
  const std::string strict = Simplified(*module, true);
  const std::string loose = Simplified(*module, false);
  REQUIRE(strict != loose);
  std::vector<std::string> results(24);
  ParallelFor(results.size(), kThreads, [&](size_t i) { results[i] = Simplified(*module, i % 2 == 0); });
  for (size_t i = 0; i < results.size(); ++i) CHECK(results[i] == (i % 2 == 0 ? strict : loose));
}

TEST_CASE("strictness about floats holds in the threads of a pass", "[threads]") {
  std::string text = "from tvm.script import tir as T\n@I.ir_module\nclass Module:\n";
  text = "from tvm.script import ir as I\n" + text;
  for (int f = 0; f < 8; ++f) {
    text += "    @T.prim_func\n    def f" + std::to_string(f) +
            "(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
            "        B[0] = T.Sub(A[0], A[0])\n";
  }
  Session first;
  const auto module = first.Read("t.py", text);
  REQUIRE(module);
  for (const bool is_strict : {false, true}) {
    std::vector<std::string> results;
    for (const size_t threads : {size_t{1}, kThreads}) {
      SessionOptions options;
      options.context.strict_fp = is_strict;
      options.context.threads = threads;
      Session session(options);
      Module copy = *module;
      REQUIRE(session.Run(copy, "tir.Simplify"));
      results.push_back(PrintModule(copy));
    }
    CHECK(results[0] == results[1]);
  }
}

TEST_CASE("callbacks belong to the context that is passed, in all threads", "[threads]") {
  std::string text = "#[version = \"0.0.5\"]\n";
  for (int f = 0; f < 8; ++f) {
    text +=
        "def @f" + std::to_string(f) +
        "(%x: Tensor[(1, 8, 8, 8), float32], %w: Tensor[(8, 8, 3, 3), float32]) { nn.conv2d(%x, %w, padding=[1, 1, 1, "
        "1], channels=8, kernel_size=[3, 3]) }\n";
  }
  Session first;
  const auto module = first.Read("t.relay", text);
  REQUIRE(module);
  const auto run = [&](size_t threads, bool asks) {
    SessionOptions options;
    options.context.opt_level = 3;
    options.context.threads = threads;
    if (asks) options.context.instruments.push_back(AltersLayouts());
    Session session(options);
    Module copy = *module;
    if (!session.Run(copy, "AlterOpLayout")) return std::string("failed");
    return PrintModule(copy);
  };
  const std::string altered = run(1, true);
  REQUIRE(altered.find("NCHW8c") != std::string::npos);
  CHECK(run(kThreads, true) == altered);
  // Runs at the same time, with and without callbacks.
  const std::string plain = run(1, false);
  std::vector<std::string> results(8);
  ParallelFor(results.size(), kThreads, [&](size_t i) { results[i] = run(2, i % 2 == 0); });
  for (size_t i = 0; i < results.size(); ++i) CHECK(results[i] == (i % 2 == 0 ? altered : plain));
}

TEST_CASE("sessions read, optimize and print on one context at once", "[threads]") {
  const std::string text =
      "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(2, 3), float32]) { %0 = add(%x, 1f); multiply(%0, add(%x, 1f)) "
      "}\n";
  Session first;
  const auto module = first.Read("t.relay", text);
  REQUIRE(module);
  const auto run = [&] {
    Session session;
    Module copy = *module;
    if (!session.Run(copy, "default<O3>")) return std::string("failed");
    return PrintModule(copy);
  };
  const std::string expected = run();
  std::vector<std::string> results(16);
  ParallelFor(results.size(), kThreads, [&](size_t i) { results[i] = run(); });
  for (const std::string& result : results) CHECK(result == expected);
}

TEST_CASE("an exception in a thread of a loop reaches the caller", "[threads]") {
  const auto fail = [](size_t i) {
    if (i == 5) throw std::runtime_error("five");
  };
  CHECK_THROWS_WITH(ParallelFor(100, kThreads, fail), "five");
  CHECK_THROWS_WITH(ParallelFor(100, 1, fail), "five");
}

}  // namespace relayopt
