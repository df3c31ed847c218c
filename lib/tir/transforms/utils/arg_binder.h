// Unpacks the arguments of functions: definitions, and checks that arguments match the declaration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/support/result.h"
#include "relayopt/tir/ir/calling_convention.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// `tvm_struct_get(structs, index, field)` of this type.
auto StructGet(Terms& terms, DataType type, PrimExpr structs, PrimExpr index, StructField field) -> PrimExpr;

// Returns the bytes of an element with all its lanes; 1 for smaller elements.
auto VectorBytes(DataType type) -> int64_t;

// Enclosing statements whose body is added later, the outermost first.
class Nest {
 public:
  void Let(PrimExpr var, PrimExpr value) { heads_.push_back({.kind = Kind::kLet, .var = var, .value = value}); }
  void Attr(AttrNode node, StringId key, PrimExpr value) {
    heads_.push_back({.kind = Kind::kAttr, .value = value, .node = node, .key = key});
  }
  void Declare(BufferId buffer) { heads_.push_back({.kind = Kind::kDeclare, .buffer = buffer}); }
  void Assert(PrimExpr condition, PrimExpr message) {
    heads_.push_back({.kind = Kind::kAssert, .value = condition, .message = message});
  }
  // Checks the condition only where `guard` holds; the body follows in any case.
  void AssertIf(PrimExpr guard, PrimExpr condition, PrimExpr message) {
    heads_.push_back({.kind = Kind::kAssertIf, .var = guard, .value = condition, .message = message});
  }
  void Append(const Nest& other) { heads_.insert(heads_.end(), other.heads_.begin(), other.heads_.end()); }

  friend auto Wrap(StmtBuilder& builder, const Nest& nest, StmtId body) -> StmtId;

 private:
  enum class Kind : uint8_t { kLet, kAttr, kDeclare, kAssert, kAssertIf };
  struct Head {
    Kind kind;
    PrimExpr var = {};
    PrimExpr value = {};
    PrimExpr message = {};
    AttrNode node = {};
    StringId key = {};
    BufferId buffer = {};
  };
  std::vector<Head> heads_;
};
// Returns the statements around the body.
auto Wrap(StmtBuilder& builder, const Nest& nest, StmtId body) -> StmtId;

// Binds variables to arguments: the first occurrence of a variable is defined by a let, everything else is asserted.
// Conditions are simplified; one that is certainly false is an error. Messages name the part that is bound, such as
// `main.A.shape[0]`.
class ArgBinder {
 public:
  explicit ArgBinder(StmtBuilder& builder);

  // Returns true if `arg` is a variable, which this call defines. Both have the same type.
  auto Bind(PrimExpr arg, PrimExpr value, std::string_view name) -> Result<bool>;
  // Binds all parts of a buffer that is passed as the DLTensor `handle`. `device_id` is a variable that all buffers
  // share.
  auto BindDLTensor(BufferId buffer, PrimExpr device_type, PrimExpr device_id, PrimExpr handle, const std::string& name)
      -> std::optional<Diagnostic>;

  auto IsBound(PrimExpr var) const -> bool { return bound_.contains(var); }
  auto definitions() const -> const Nest& { return definitions_; }
  auto asserts() const -> const Nest& { return asserts_; }

 private:
  auto Assert(PrimExpr condition, std::string_view name) -> std::optional<Diagnostic>;
  auto BindShape(const Buffer& buffer, PrimExpr handle, const std::string& name) -> std::optional<Diagnostic>;
  auto BindStrides(const Buffer& buffer, PrimExpr handle, const std::string& name) -> std::optional<Diagnostic>;
  void AssertCompact(const Buffer& buffer, PrimExpr is_null, const std::string& name);
  auto BindOffset(const Buffer& buffer, PrimExpr handle, const std::string& name) -> std::optional<Diagnostic>;
  // Returns a buffer of int64 whose data is that field of the tensor.
  auto FieldBuffer(PrimExpr handle, StructField field, size_t extent, const std::string& name) -> BufferId;
  auto Element(BufferId buffer, size_t i, DataType type) -> PrimExpr;
  auto Get(DataType type, PrimExpr handle, StructField field) -> PrimExpr;

  Context& context_;
  Terms& terms_;
  Tables& tables_;
  arith::Analyzer analyzer_;
  absl::flat_hash_set<PrimExpr> bound_;
  Nest definitions_;
  Nest asserts_;
  // For the tensor that is being bound: its extents and strides as passed.
  BufferId shape_;
  BufferId strides_;
};

}  // namespace relayopt::tir
