// A tensor program that is written as TVMScript, for tests of analyses.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "relayopt/support/source.h"
#include "relayopt/tir/ir/prim_func.h"
#include "relayopt/tir/ir/walk.h"
#include "relayopt/tir/script/script.h"

namespace relayopt::tir {

class ScriptProgram {
 public:
  // `text`: the definition of the function, `def main(...): ...`.
  explicit ScriptProgram(std::string_view text) {
    DiagnosticSink sink;
    const auto source =
        SourceText::FromString("test", "from tvm.script import tir as T\n@T.prim_func\n" + std::string(text));
    const auto module = ReadScript(*source, context_, sink);
    for (const Diagnostic& diagnostic : sink.diagnostics()) UNSCOPED_INFO(diagnostic.text);
    REQUIRE(module);
    func_ = module->functions[0].function;
  }

  auto context() -> Context& { return context_; }
  auto func() const -> const PrimFunc& { return *func_; }
  auto terms() const -> Terms& { return func_->terms(); }
  auto Text(PrimExpr expr) -> std::string { return PrintExpr(context_, expr); }

  // Returns the data variable of the buffer that a block allocates under this name.
  auto Data(std::string_view name) const -> PrimExpr {
    for (StmtId id(0U); id.value() < func_->size(); ++id) {
      const auto block = func_->stmt(id).As<Block>();
      if (!block) continue;
      for (const BufferId buffer : block->alloc_buffers()) {
        const Buffer& found = func_->tables().buffer(buffer);
        if (func_->context().text(found.name) == name) return found.data;
      }
    }
    FAIL("no block allocates " << name);
    return {};
  }

  // Returns the n-th statement of this kind, in the order of the text.
  auto Nth(StmtKind kind, size_t n) const -> Stmt {
    std::optional<Stmt> found;
    Walk(
        func_->body(),
        [&](Stmt stmt) {
          if (stmt.is(kind) && n-- == 0) found = stmt;
          return true;
        },
        [](Stmt) {});
    REQUIRE(found);
    return *found;
  }

 private:
  Context context_;
  std::shared_ptr<const PrimFunc> func_;
};

}  // namespace relayopt::tir
