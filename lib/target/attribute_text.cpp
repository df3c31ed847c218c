// Attributes as text, for target tables.
#include "attribute_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

constexpr std::string_view kNone = "None";

auto DimText(const Dim& dim) -> std::string {
  return dim.is_int() ? fmt::format("{}", dim.value()) : std::string(kNone);
}

auto ParseDims(std::string_view text) -> std::optional<DimList> {
  if (text == kNone) return DimList::Null();
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  DimList list;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const auto value = ParseNumber<int64_t>(item);
    if (!value) return std::nullopt;
    list.values.emplace_back(*value);
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return list;
}

}  // namespace

auto AttributeText(const FieldInfo& field, const void* record) -> std::string {
  switch (field.kind) {
    case FieldKind::kInt: return fmt::format("{}", field.Get<int64_t>(record));
    case FieldKind::kBool: return field.Get<bool>(record) ? "true" : "false";
    case FieldKind::kString: return field.Get<std::string>(record);
    case FieldKind::kDataType: return ToString(field.Get<DataType>(record));
    case FieldKind::kDim: return DimText(field.Get<Dim>(record));
    case FieldKind::kDimList: {
      const auto& list = field.Get<DimList>(record);
      if (list.null) return std::string(kNone);
      std::string text = "[";
      for (size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + DimText(list[i]);
      return text + "]";
    }
    default: return {};
  }
}

auto SetAttribute(const FieldInfo& field, void* record, std::string_view text) -> bool {
  switch (field.kind) {
    case FieldKind::kString: field.Mutable<std::string>(record) = text; return true;
    case FieldKind::kBool: field.Mutable<bool>(record) = text == "true"; return text == "true" || text == "false";
    case FieldKind::kInt: {
      const auto value = ParseNumber<int64_t>(text);
      field.Mutable<int64_t>(record) = value.value_or(0);
      return value.has_value();
    }
    case FieldKind::kDim: {
      const auto value = ParseNumber<int64_t>(text);
      field.Mutable<Dim>(record) = value ? Dim(*value) : Dim::Null();
      return value.has_value() || text == kNone;
    }
    case FieldKind::kDataType: {
      const auto dtype = ParseDataType(text);
      if (dtype) field.Mutable<DataType>(record) = *dtype;
      return dtype.has_value();
    }
    case FieldKind::kDimList: {
      auto list = ParseDims(text);
      if (!list) return false;
      field.Mutable<DimList>(record) = *std::move(list);
      return true;
    }
    default: return false;
  }
}

auto MatchesText(std::string_view text, std::string_view pattern) -> bool {
  while (!pattern.empty()) {
    if (text.empty()) return false;
    if (pattern.front() == '#') {
      const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
      if (digits == 0) return false;
      text.remove_prefix(digits);
    } else if (pattern.front() == text.front()) {
      text.remove_prefix(1);
    } else {
      return false;
    }
    pattern.remove_prefix(1);
  }
  return text.empty();
}

}  // namespace relayopt
