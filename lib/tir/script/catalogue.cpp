// Finding the functions of `T.*`, `T.axis.*` and `I.*` by name.
#include "lib/tir/script/catalogue.h"

#include <functional>

#include "absl/container/flat_hash_map.h"

namespace relayopt::tir {

namespace {

using Rows = absl::flat_hash_map<std::string_view, const Builtin*>;

auto Collect(std::initializer_list<std::span<const Builtin>> lists) -> Rows {
  Rows rows;
  for (const auto list : lists) {
    for (const Builtin& row : list) rows[row.name] = &row;
  }
  return rows;
}

auto RowsOf(Namespace space) -> const Rows& {
  static const Rows t =
      Collect({catalogue::Statements(), catalogue::Blocks(), catalogue::Buffers(), catalogue::Expressions()});
  static const Rows axes = Collect({catalogue::Axes()});
  static const Rows modules = Collect({catalogue::Modules()});
  static const Rows none;
  switch (space) {
    case Namespace::kT: return t;
    case Namespace::kAxis: return axes;
    case Namespace::kI: return modules;
    default: return none;
  }
}

}  // namespace

auto catalogue::IsStatement(const Builtin& row) -> bool {
  const std::span<const Builtin> rows = Statements();
  return std::less_equal<>()(rows.data(), &row) && std::less<>()(&row, rows.data() + rows.size());
}

auto FindBuiltin(Namespace space, std::string_view name) -> const Builtin* {
  const Rows& rows = RowsOf(space);
  const auto found = rows.find(name);
  return found != rows.end() ? found->second : nullptr;
}

auto BuiltinNames(Namespace space) -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (const auto& [name, row] : RowsOf(space)) names.push_back(name);
  if (space == Namespace::kT) {
    for (const arith::IntrinsicRow& row : arith::Intrinsics()) names.push_back(row.printed);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace relayopt::tir
