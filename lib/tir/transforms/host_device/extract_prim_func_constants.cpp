// ExtractPrimFuncConstants: collects the constants of tensor programs in one list of the module.
//
// Every AllocateConst gets the position of its array in the attribute "constants" of the module; equal arrays (type,
// shape and bytes) share a position. The statement keeps its array as well, so its text stays.
#include <optional>
#include <string>

#include "lib/tir/transforms/passes.h"
#include "relayopt/module/functions.h"

namespace relayopt::tir {

namespace {

// The list of constants, which grows.
class ConstantList {
 public:
  explicit ConstantList(const Module& module) : context_(module.context()) {
    const ObjectId list = module.FindAttr("constants");
    if (!list || context_.object(list).kind != ObjectKind::kArray) return;
    for (const ObjectId item : context_.object(list).items) {
      items_.push_back(item);
      const Object& object = context_.object(item);
      if (object.kind == ObjectKind::kConstant) {
        positions_.try_emplace(KeyOf(context_.constant(object.constant)), static_cast<uint32_t>(items_.size() - 1));
      }
    }
  }

  auto PositionOf(ConstantId id) -> uint32_t {
    const auto [found, added] =
        positions_.try_emplace(KeyOf(context_.constant(id)), static_cast<uint32_t>(items_.size()));
    if (added) {
      Object object;
      object.kind = ObjectKind::kConstant;
      object.constant = id;
      items_.push_back(context_.Add(object));
    }
    return found->second;
  }

  auto items() const -> std::span<const ObjectId> { return items_; }

 private:
  // Two constants are equal when these are.
  static auto KeyOf(const Constant& constant) -> std::string { return EncodeRecord(constant); }

  Context& context_;
  std::vector<ObjectId> items_;
  absl::flat_hash_map<std::string, uint32_t> positions_;
};

class Extractor : public Rewriter {
 public:
  Extractor(const PrimFunc& func, ConstantList& constants) : Rewriter(func), constants_(constants) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  // Before the parts are visited, so that outer ones come first.
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto alloc = stmt.As<AllocateConst>(); alloc && alloc->data()) {
      positions_.push_back(constants_.PositionOf(alloc->data()));
    }
    return Descent::Into();
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto alloc = stmt.As<AllocateConst>();
    if (!alloc || !alloc->data()) return Rewriter::Leave(stmt, parts);
    const uint32_t position = positions_.back();
    positions_.pop_back();
    return builder().AllocateConst(alloc->buffer_var(), alloc->dtype(), parts.exprs, alloc->data(), position,
                                   parts.stmts[0], alloc->annotations());
  }

 private:
  ConstantList& constants_;
  std::vector<uint32_t> positions_;
};

struct ExtractPrimFuncConstants {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    ConstantList constants(module);
    const size_t before = constants.items().size();
    Module result = module;
    bool changed = false;
    // In the order of the text.
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      if (std::optional<PrimFunc> made = Extractor(func, constants).Run()) {
        result.SetFunction(id, std::make_shared<const PrimFunc>(*std::move(made)));
        changed = true;
      }
    }
    if (constants.items().size() != before) {
      result.SetAttr("constants", module.context().AddArray(constants.items()));
      changed = true;
    }
    return changed ? std::optional(std::move(result)) : std::nullopt;
  }
};

}  // namespace

constinit const PassDef kExtractPrimFuncConstantsPass = DescribePass<ExtractPrimFuncConstants>({
    .name = "tir.ExtractPrimFuncConstants",
    .summary = "Move the constants of tensor programs to an attribute of the module",
    .details = R"(  class Module:                                        class Module:
                                                           I.module_attrs({"constants": [...]})
      K = T.allocate_const([1, 2], "int32", [2])    ->     K = T.allocate_const([1, 2], "int32", [2])

The statement remembers the position of its array in the list. Equal arrays are listed once.)",
    .aliases = "tir.transform.ExtractPrimFuncConstants",
    .idempotent = true,
});

}  // namespace relayopt::tir
