// What passes over tensor programs refuse and no text can say.
#include <catch2/catch.hpp>

#include "relayopt/pass/registry.h"
#include "relayopt/tir/ir/prim_func.h"
#include "relayopt/tir/transforms/all_passes.h"

namespace relayopt::tir {
namespace {

struct Program {
  Module module;
  Context& context = module.context();
  Terms& terms = context.Part<Terms>();
  Tables& tables = context.Part<Tables>();
  StmtBuilder b{context};

  // Runs a pass over it; the first fault, `ID: text`, or nothing.
  auto FaultOf(std::string_view pass, StmtId body) -> std::string {
    RegisterAllPasses();
    module.SetFunction(module.NameGlobal("main"), std::make_shared<PrimFunc>(PrimFuncInfo(), b.Finish(body)));
    PassContext pass_context;
    const auto shown = [](const Diagnostic& fault) { return std::string(fault.kind->id) + ": " + fault.text; };
    const Result<bool> done = (*GetPass(pass))->Apply(module, pass_context);
    if (!done) return shown(done.error());
    const auto& diagnostics = pass_context.diagnostics().diagnostics();
    return diagnostics.empty() ? "" : shown(diagnostics[0]);
  }
};

TEST_CASE("an access counts whole units of the memory", "[tir]") {
  Program p;
  Terms& terms = p.terms;
  StmtBuilder& b = p.b;
  const DataType wide = DataType::Float(32);
  const PrimExpr memory = terms.Var("m", VarType::Pointer(wide, p.context.Intern("global.texture")));
  const DataType three{TypeCode::kFloat, 32, 3};
  const PrimExpr type = terms.Call(three, terms.Intrinsic("tir.type_annotation"), {});
  const PrimExpr zero = terms.Int32(0);
  const PrimExpr access = terms.Call(DataType::Int(32), terms.Intrinsic("tir.tvm_access_ptr"),
                                     {type, memory, zero, terms.Int32(8), terms.Int32(1)});
  const PrimExpr extent = terms.Int32(16);
  const StmtId body = b.Allocate(memory, wide, {&extent, 1}, terms.Bool(true), b.Evaluate(access));
  CHECK(p.FaultOf("tir.LowerDeviceStorageAccessInfo", body) ==
        "storage-units: elements of 96 bits do not divide the 16 bits of a unit of global.texture");
}

TEST_CASE("a view with a larger alignment than its memory is warned of", "[tir]") {
  Program p;
  Terms& terms = p.terms;
  StmtBuilder& b = p.b;
  const auto buffer = [&](std::string_view name, int alignment) {
    return p.tables.Add(Buffer{.data = terms.Var(name, VarType::Pointer(DataType::Int(32))),
                               .dtype = DataType::Int(32),
                               .name = p.context.Intern(name),
                               .shape = {terms.Int32(4)},
                               .elem_offset = terms.Var("offset", DataType::Int(32)),
                               .data_alignment = alignment,
                               .offset_factor = 1});
  };
  const BufferId source = buffer("A", 16);
  const BufferId view = buffer("B", 64);
  BlockInfo info;
  info.match_buffers = {{view, {source, 0, 1}}};
  const PrimExpr bounds[] = {terms.Int32(0), terms.Int32(4)};
  const PrimExpr zero = terms.Int32(0);
  const StmtId block = b.Block(info, bounds, b.Store(view, zero, {&zero, 1}));
  CHECK(p.FaultOf("tir.LowerMatchBuffer", b.BlockRealize({}, terms.Bool(true), block)) ==
        "match-buffer-alignment: match_buffer B is aligned to 64 bytes, and A to 16");
}

}  // namespace
}  // namespace relayopt::tir
