// Functions represented as data, for Defunctionalization.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Whether a function type occurs in the type.
auto HasFunctionType(const Context& types, TypeId type) -> bool;

// The encoding of the functions of one type: the data type that represents them, and the function that applies them.
struct Encoding {
  explicit Encoding(Context& context) : apply(context) {}

  StringId name;
  TypeId type;
  TypeDefId type_def;
  GlobalId apply_name;
  // @apply under construction: its parameters are the data and the arguments.
  FunctionBuilder apply;
  std::vector<ExprId> params;
  MatchInfo match;
  std::vector<ExprId> match_operands;
};

// The module under construction, and what its functions share.
class Program {
 public:
  explicit Program(const Module& module) : module_(module), result_(module) {}

  auto module() const -> const Module& { return module_; }
  auto result() -> Module& { return result_; }
  auto types() const -> Context& { return module_.context(); }

  auto EncodingOf(TypeId function) -> Encoding&;

  // Returns a new constructor. As TVM: both kinds are numbered with one counter, global functions before and literals
  // after counting.
  auto NewConstructor(Encoding& encoding, bool is_global, std::vector<TypeId> inputs) -> CtorId;

  // @apply calls `callee` of its own table for data of the constructor; `fields` are the variables that hold its
  // fields.
  void AddClause(Encoding& encoding, CtorId ctor, std::span<const ExprId> fields, ExprId callee);

  // The name of a global function for parameters of these types; it will be made from `callee`.
  struct Clone {
    GlobalId callee;
    GlobalId name;
    std::vector<TypeId> type_args;
  };
  auto CloneOf(GlobalId callee, const std::vector<TypeId>& type_args) -> GlobalId;
  auto TakePending() -> std::optional<Clone>;

  // Creates the functions that apply the encoded ones.
  void Finish();

 private:
  void AddParam(Encoding& encoding, std::string_view name, TypeId type);

  const Module& module_;
  Module result_;
  absl::flat_hash_map<TypeId, Encoding*> encodings_;
  std::deque<Encoding> all_;
  std::vector<TypeId> results_;
  absl::flat_hash_map<std::pair<GlobalId, std::vector<TypeId>>, GlobalId> clones_;
  std::deque<Clone> pending_;
  uint64_t counter_ = 0;
};

}  // namespace relayopt
