// Facts about extents that types do not express.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/relay/analysis/extent_table.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

class Context;
class ShapeRules;

// A part of the context: what the extents of the parameters of @main are called by the program that created the module.
// Extents of one name are one number. Thread-safe.
class ExtentNames {
 public:
  // By parameter: a name for each axis, empty for those without.
  using Names = std::map<std::string, std::vector<std::string>, std::less<>>;

  explicit ExtentNames(Context&) {}

  void Set(Names names) {
    const std::lock_guard lock(mutex_);
    names_ = std::move(names);
  }
  auto Get() const -> Names {
    const std::lock_guard lock(mutex_);
    return names_;
  }

 private:
  mutable std::mutex mutex_;
  Names names_;
};

// The extents of each tensor of a function, and the numbers that small tensors of integers hold: shapes, axes and
// indices. A type has `?` for every extent that is not known; here two of them can be seen to be one.
//
//   %x: Tensor[(?, ?, 32)]                      extents b, s, 32
//   %0 = shape_of(%x)                           numbers b, s, 32
//   %1 = concatenate((strided_slice(%0, begin=[0], end=[2]), [4, 8]))         numbers b, s, 4, 8
//   %2 = dyn.reshape(%x, %1)                    extents b, s, 4, 8, and its type says (?, ?, ?, ?)
class SymbolicShapes {
 public:
  using Numbers = std::vector<ExtentId>;

  // `names` are those of the parameters of the function. Without them it may be one that is being built.
  explicit SymbolicShapes(const Function& function, const ExtentNames::Names& names = {});

  auto table() -> ExtentTable& { return table_; }
  // Returns null if the expression is not a tensor.
  auto ExtentsOf(ExprId id) const -> const Numbers* { return Find(extents_[id]); }
  // Returns the elements of a tensor of integers of rank 0 or 1, or null if they are not known.
  auto NumbersOf(ExprId id) const -> const Numbers* { return Find(numbers_[id]); }
  // The same as integers; returns nothing if one is not known.
  auto IntegersOf(ExprId id) const -> std::optional<std::vector<int64_t>>;

 private:
  friend class ShapeRules;
  friend class ShapeWalk;
  struct NothingYet {};
  SymbolicShapes(const Function& function, NothingYet) : extents_(function.size()), numbers_(function.size()) {}
  static auto Find(const std::optional<Numbers>& found) -> const Numbers* { return found ? &*found : nullptr; }

  ExtentTable table_;
  SideTable<ExprId, std::optional<Numbers>> extents_;
  SideTable<ExprId, std::optional<Numbers>> numbers_;
};

// The same for a walk over a function that rewrites it and finds better types on its way: what comes after an
// expression knows these, too. The function must outlive it.
class ShapeWalk {
 public:
  explicit ShapeWalk(const Function& function, const ExtentNames::Names& names = {});
  ~ShapeWalk();

  // Knows the expressions that were added.
  auto shapes() -> SymbolicShapes& { return shapes_; }
  // Adds an expression. They are added in ascending order, without gaps.
  void Add(ExprId id);
  // Takes over the extents of the type that are numbers, for the expression that was added last. The type has the rank
  // that the expression has.
  void Learn(ExprId id, const Type& type);

 private:
  SymbolicShapes shapes_;
  std::unique_ptr<ShapeRules> rules_;
};

}  // namespace relayopt
