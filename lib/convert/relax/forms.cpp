// The table of operators that Relax has. Others are written with these by LowerFor.
//
// What differs although names agree, and is written out for that reason: defaults (leakyrelu's alpha, topk's dtype,
// count_include_pad of average pools, align_corners of grid_sample, cubic_alpha of resizing), `take` beyond the end,
// `batch_norm` for training, the order of gather_nd's indices, `split` into one part.
#include "forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "python.h"

namespace relayopt::relax {

auto RelaxCall::name() const -> std::string_view { return FindRelaxForm(op())->name; }

auto RelaxCall::Write() const -> std::string { return Write(FindRelaxForm(op())->attrs); }

auto RelaxCall::Write(std::string_view attrs) const -> std::string {
  std::string out = fmt::format("R.{}({}", name(), fmt::join(args, ", "));
  const AttrsId id = function().attrs(this->id());
  if (id) {
    const AttrsRecord& record = context().attrs(id);
    while (!attrs.empty() && record.schema != nullptr) {
      const size_t blank = std::min(attrs.find(' '), attrs.size());
      std::string_view word = attrs.substr(0, blank);
      attrs.remove_prefix(std::min(blank + 1, attrs.size()));
      const size_t equals = word.find('=');
      const std::string_view there = equals == std::string_view::npos ? word : word.substr(equals + 1);
      const FieldInfo* field = record.schema->Find(word.substr(0, equals));
      RELAYOPT_CHECK(field != nullptr, "rows of Relax name attributes that operators have");
      const auto value = PythonField(*field, record.data);
      if (value) out += fmt::format("{}{}={}", out.ends_with('(') ? "" : ", ", there, *value);
    }
  }
  return out + ")";
}

auto DtypeText(DataType dtype) -> std::string { return PythonString(ToString(dtype)); }

auto AsResult(const RelaxCall& call, std::string_view value) -> Text {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  return fmt::format("R.astype({}, {})", value, DtypeText(result->dtype));
}

auto ResultExtents(const RelaxCall& call) -> Text {
  const Type* result = call.result();
  return result == nullptr ? std::nullopt : PythonTuple(result->shape);
}

auto ZerosOfResult(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  if (!extents) return std::nullopt;
  return fmt::format("R.zeros({}, dtype={})", *extents, DtypeText(call.result()->dtype));
}

auto ShapeText(std::span<const std::string> extents) -> std::string {
  return fmt::format("R.shape([{}])", fmt::join(extents, ", "));
}

auto FindRelaxForm(const OpDef* op) -> const RelaxForm* {
  static const OpRules<RelaxForm> forms = [] {
    OpRules<RelaxForm> made = {ElementForms(), ShapeForms(), NetworkForms(), DynamicShapeForms(), DynamicPlaceForms()};
    for (const OpDef* same : Namesakes()) made.Add(same, {same->name});
    return made;
  }();
  return forms.Find(op);
}

}  // namespace relayopt::relax
