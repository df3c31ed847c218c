// Names what a kernel computes:
//
//   fn (%p0, %p1, %p2) { %0 = nn.conv2d(%p0, %p1, strides=[2, 2], kernel_size=[3, 3]); %1 = add(%0, %p2); nn.relu(%1) }
//   conv2d+add+relu 3x3 /2
#include <fmt/format.h>

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/text/graph.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

namespace {

// The calls of operators in an expression, operands first. Kernels are small and closed; of one that is not small, the
// calls nearest to its result, so that naming kernels inside of kernels stays linear.
auto CallsIn(const Function& function, ExprId id) -> std::vector<ExprId> {
  constexpr size_t kMostExprs = 1000;
  std::vector<ExprId> calls;
  std::vector<ExprId> work = {id};
  absl::flat_hash_set<ExprId> seen;
  if (function.kind(id) == ExprKind::kOpCall) return work;
  while (!work.empty() && seen.size() < kMostExprs) {
    const ExprId next = work.back();
    work.pop_back();
    if (!seen.insert(next).second) continue;
    if (function.kind(next) == ExprKind::kOpCall) calls.push_back(next);
    for (const ExprId operand : function.operands(next)) work.push_back(operand);
  }
  std::ranges::sort(calls);
  return calls;
}

// `nn.conv2d` without the name of its family.
auto ShortOpName(std::string_view name) -> std::string_view {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// The extents of an attribute; empty when there is none, or when one is not known.
auto Extents(const Context& context, AttrsId attrs, std::string_view name) -> std::vector<int64_t> {
  std::vector<int64_t> extents;
  if (!attrs) return extents;
  const AttrsRecord& record = context.attrs(attrs);
  const FieldInfo* field = record.schema == nullptr ? nullptr : record.schema->Find(name);
  if (field == nullptr || field->kind != FieldKind::kDimList) return extents;
  for (const Dim& dim : field->Get<DimList>(record.data).values) {
    if (!dim.is_int()) return {};
    extents.push_back(dim.value());
  }
  return extents;
}

// `3x3 /2`: the window of a convolution or pooling, and its steps.
auto WindowText(const Function& function, ExprId call) -> std::string {
  const Context& context = function.context();
  const AttrsId attrs = function.attrs(call);
  std::vector<int64_t> window = Extents(context, attrs, "kernel_size");
  if (window.empty()) window = Extents(context, attrs, "pool_size");
  std::string text = fmt::format("{}", fmt::join(window, "x"));
  const std::vector<int64_t> strides = Extents(context, attrs, "strides");
  if (window.empty() || std::ranges::all_of(strides, [](int64_t stride) { return stride == 1; })) return text;
  const bool is_even = std::ranges::all_of(strides, [&](int64_t stride) { return stride == strides[0]; });
  return text + (is_even ? fmt::format(" /{}", strides[0]) : fmt::format(" /{}", fmt::join(strides, "x")));
}

}  // namespace

auto ComputationName(const Function& function, ExprId id) -> std::string {
  constexpr size_t kMostNames = 6;
  if (function.kind(id) == ExprKind::kFunction && !IsPrimitive(function, id)) return "fn";
  std::vector<std::pair<std::string_view, size_t>> names;
  std::string window;
  for (const ExprId call : CallsIn(function, id)) {
    const std::string_view name = ShortOpName(function.op(call)->name);
    if (names.empty() || names.back().first != name) names.emplace_back(name, 0);
    ++names.back().second;
    if (window.empty()) window = WindowText(function, call);
  }
  if (names.empty()) return "nothing";
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : "+", names[i].first);
    if (names[i].second > 1) text += fmt::format("*{}", names[i].second);
  }
  if (names.size() > kMostNames) text += fmt::format("+{} more", names.size() - kMostNames);
  return window.empty() ? text : text + " " + window;
}

auto ShortTypeText(const Context& context, TypeId id) -> std::string {
  if (!id) return "";
  const Type& type = context.type(id);
  const auto is_tensor = [&](TypeId field) { return field && context.type(field).is_tensor(); };
  if (type.is_tuple() && std::ranges::all_of(type.args, is_tensor)) {
    // Each projection of a wide tuple would repeat its type.
    constexpr size_t kMostFields = 8;
    std::string out;
    for (const TypeId field : type.args.first(std::min(type.args.size(), kMostFields)))
      out += (out.empty() ? "" : ", ") + ShortTypeText(context, field);
    if (type.args.size() > kMostFields) out += fmt::format(", {} more", type.args.size() - kMostFields);
    return "(" + out + ")";
  }
  if (!type.is_tensor()) return TypeToString(context, id);
  std::string out;
  for (const Dim& dim : type.shape) out += (out.empty() ? "" : "x") + ToString(dim);
  return out + (out.empty() ? "" : " ") + ToString(type.dtype);
}

}  // namespace relayopt
