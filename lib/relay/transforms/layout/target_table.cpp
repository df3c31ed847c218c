// Looks a call up in a target table.
#include "relayopt/relay/transforms/target_table.h"
#include "relayopt/relay/ir/call_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "lib/target/attribute_text.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

// Far above what any machine packs: bounds the search for a divisor.
constexpr int64_t kLargestTile = 1 << 16;

// Matches one row against one call.
class RowMatcher {
 public:
  RowMatcher(Context& context, const Target* target, const AlterRequest& request, const TargetTable::Row& row)
      : context_(context), target_(target), request_(request), row_(row) {}

  auto Fits() -> bool {
    if (row_.op != request_.op) return false;
    const bool has_features = std::all_of(row_.features.begin(), row_.features.end(), [this](const std::string& name) {
      return target_ != nullptr && target_->HasFeature(name);
    });
    return has_features && FitsTypes() && FindExtents() && FitsWhen() && ChooseTiles();
  }

  auto Answer() -> std::optional<AlterAnswer> {
    if (row_.becomes == nullptr) return std::nullopt;
    auto attrs = NewAttrs();
    if (!attrs) return std::nullopt;
    for (const auto& [name, text] : row_.attrs) {
      const FieldInfo* field = attrs->schema().Find(name);
      const auto value = Expand(text);
      if (field == nullptr || !value || !SetAttribute(*field, attrs->data(), *value)) return std::nullopt;
    }
    return AlterAnswer{row_.becomes, context_.InternAttrs(std::move(*attrs))};
  }

 private:
  // The attributes that those of the row override: the call's if the operator has the same class, else the defaults.
  auto NewAttrs() -> std::optional<AttrsBuilder> {
    if (row_.becomes->attrs == nullptr) return std::nullopt;
    const AttrsRecord* old = request_.attrs ? &context_.attrs(request_.attrs) : nullptr;
    if (old == nullptr || old->schema != row_.becomes->attrs) return AttrsBuilder(*row_.becomes->attrs);
    AttrsBuilder attrs(*old->schema, old->data);
    if (const FieldInfo* padding = attrs.schema().Find("padding"))
      SpellOutPadding(padding->Mutable<DimList>(attrs.data()));
    return attrs;
  }

  // As TVM: before height and width, then after them.
  static void SpellOutPadding(DimList& padding) {
    if (padding.size() == 1) padding.values.assign(4, padding[0]);
    if (padding.size() == 2) padding = {padding[0], padding[1], padding[0], padding[1]};
  }

  auto Tensor(size_t i) const -> const Type* {
    return i < request_.operands.size() ? TensorType(context_, request_.operands[i]) : nullptr;
  }

  auto FitsTypes() const -> bool {
    for (size_t i = 0; i < row_.dtypes.size(); ++i) {
      const Type* type = Tensor(i);
      if (type == nullptr || relayopt::ToString(type->dtype) != row_.dtypes[i]) return false;
    }
    for (size_t i = 0; i < row_.ranks.size(); ++i) {
      const Type* type = Tensor(i);
      if (type == nullptr || static_cast<int64_t>(type->rank()) != row_.ranks[i]) return false;
    }
    if (!row_.dynamic) return true;
    for (size_t i = 0; i < request_.operands.size(); ++i) {
      const Type* type = Tensor(i);
      if (type == nullptr) continue;
      if (!AllKnown(type->shape)) return true;
    }
    return false;
  }

  auto FindExtents() -> bool {
    for (const auto& extent : row_.extents) {
      const Type* type = Tensor(extent.operand);
      if (type == nullptr || extent.axis >= type->rank() || !type->shape[extent.axis].is_int()) return false;
      names_.emplace_back(extent.name, type->shape[extent.axis].value());
    }
    return true;
  }

  auto FitsWhen() const -> bool {
    return std::all_of(row_.when.begin(), row_.when.end(), [this](const auto& condition) {
      const auto& [name, wanted_text] = condition;
      const auto wanted = Expand(wanted_text);
      if (!wanted) return false;
      if (const auto number = Named(name)) return fmt::format("{}", *number) == *wanted;
      const AttrsRecord* record = request_.attrs ? &context_.attrs(request_.attrs) : nullptr;
      const FieldInfo* field = record == nullptr || record->schema == nullptr ? nullptr : record->schema->Find(name);
      return field != nullptr && MatchesText(AttributeText(*field, record->data), *wanted);
    });
  }

  auto ChooseTiles() -> bool {
    for (const auto& tile : row_.tiles) {
      const auto extent = Named(tile.divides);
      const auto limit = Limit(tile.at_most);
      if (!extent || !limit || *extent <= 0) return false;
      const int64_t most = std::min({*limit, *extent, kLargestTile});
      int64_t size = most - most % tile.step;
      while (size >= tile.at_least && size > 0 && *extent % size != 0) size -= tile.step;
      if (size < tile.at_least || size <= 0) return false;
      names_.emplace_back(tile.name, size);
    }
    return true;
  }

  auto Named(std::string_view name) const -> std::optional<int64_t> {
    for (const auto& [known, value] : names_) {
      if (known == name) return value;
    }
    if (name == "lanes") return target_ == nullptr ? 4 : target_->simd_lanes();
    return std::nullopt;
  }

  auto Limit(std::string_view text) const -> std::optional<int64_t> {
    int64_t product = 1;
    while (!text.empty()) {
      const std::string_view factor = text.substr(0, text.find('*'));
      text.remove_prefix(std::min(factor.size() + 1, text.size()));
      const auto number = ParseNumber<int64_t>(factor);
      const auto value = number ? number : Named(factor);
      if (!value || __builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    return product;
  }

  // Returns the text with `{name}` and `{name/4}` replaced by numbers.
  auto Expand(std::string_view text) const -> std::optional<std::string> {
    std::string out;
    while (!text.empty()) {
      const size_t open = std::min(text.find('{'), text.size());
      out += text.substr(0, open);
      text.remove_prefix(open);
      if (text.empty()) break;
      const size_t close = text.find('}');
      if (close == std::string_view::npos) return std::nullopt;
      const auto value = Value(text.substr(1, close - 1));
      if (!value) return std::nullopt;
      out += *value;
      text.remove_prefix(close + 1);
    }
    return out;
  }

  auto Value(std::string_view name) const -> std::optional<std::string> {
    if (name == "result_dtype") {
      if (!request_.result || !context_.type(request_.result).is_tensor()) return std::nullopt;
      return relayopt::ToString(context_.type(request_.result).dtype);
    }
    const size_t slash = name.find('/');
    const auto value = Named(name.substr(0, slash));
    if (!value) return std::nullopt;
    const auto divisor = slash == std::string_view::npos ? std::optional<int64_t>(1) : Limit(name.substr(slash + 1));
    if (!divisor || *divisor <= 0) return std::nullopt;
    return fmt::format("{}", *value / *divisor);
  }

  Context& context_;
  const Target* target_;
  const AlterRequest& request_;
  const TargetTable::Row& row_;
  // Extents and tiles.
  std::vector<std::pair<std::string_view, int64_t>> names_;
};

auto TargetTable::Find(Context& context, const Target* target, const AlterRequest& request) const
    -> std::optional<AlterAnswer> {
  for (const Row& row : rows_) {
    RowMatcher matcher(context, target, request, row);
    if (matcher.Fits()) return matcher.Answer();
  }
  return std::nullopt;
}

}  // namespace relayopt
