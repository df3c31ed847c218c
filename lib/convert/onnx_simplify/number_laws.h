// Sums, products and quotients with constants.
#pragma once

#include <optional>

#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Simplifies sums, products and quotients of a function that is being rebuilt. With strict_fp they stay.
class NumberLaws {
 public:
  // `users` has the number of users of each old expression; all must outlive this.
  NumberLaws(const Function& function, Rebuild& rebuild, const SideTable<ExprId, uint32_t>& users, bool strict_fp)
      : function_(function), rebuild_(rebuild), users_(users), strict_fp_(strict_fp) {}

  // Returns the other operand of a sum with zeros, or difference, or nothing.
  auto WithoutZeros(ExprId id) -> ExprId;
  // Returns what a product or quotient becomes: its operand if the other consists of ones, one product or quotient
  // instead of two with numbers; or nothing.
  auto Scale(ExprId id) -> ExprId;

 private:
  struct ScaleCall {
    ExprId data;
    ExprId number;
    size_t data_index = 0;
  };

  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto made() -> const Function& { return rebuild_.to().function(); }
  auto IsNormal(const ScaleCall& inner, bool inner_divides, const ScaleCall& outer, bool divides, DataType type)
      -> bool;
  auto JoinScales(ExprId id) -> ExprId;
  auto ScaleOf(ExprId a, ExprId b, bool divides) -> std::optional<ScaleCall>;
  auto WithoutNeutral(ExprId id, double neutral) -> ExprId;
  auto IsNeutral(ExprId constant, ExprId data, double number) -> bool;
  auto ConsistsOf(ConstantId id, double number) -> bool;

  const Function& function_;
  Rebuild& rebuild_;
  const SideTable<ExprId, uint32_t>& users_;
  const bool strict_fp_;
  // What ConsistsOf answered last.
  ConstantId last_constant_;
  double last_number_ = 0;
  bool last_consists_ = false;
};

}  // namespace relayopt
