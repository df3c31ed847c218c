// Parts of a function that one target could compute.
#include "part.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace relayopt {

namespace {

void SortAndUnite(std::vector<ExprId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
}

// Whether two ascending lists have an element in common.
auto HaveCommon(std::span<const ExprId> a, std::span<const ExprId> b) -> bool {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) return true;
    a[i] < b[j] ? ++i : ++j;
  }
  return false;
}

}  // namespace

auto JoinLabels(std::string_view a, std::string_view b, char by) -> std::string {
  std::string joined(a);
  if (!a.empty() && !b.empty()) joined += by;
  return joined.append(b);
}

auto HasFewerEarly(std::span<const ExprId> a, std::span<const ExprId> b) -> bool {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end()) return in_b != b.end();
  return in_b != b.end() && *in_a > *in_b;
}

CollagePart::CollagePart(const CollageGraph& graph, std::vector<ExprId> inside, Fusion fusion, std::string label,
                         std::vector<NestedPart> nested)
    : inside_(std::move(inside)), fusion_(fusion), label_(std::move(label)), nested_(std::move(nested)) {
  const Function& function = graph.function();
  std::ranges::stable_sort(nested_, [](const auto& a, const auto& b) { return a.part->IsBefore(*b.part); });
  for (const ExprId id : inside_) {
    graph.budget().Take(1 + function.operands(id).size() + graph.users(id).size());
    const size_t inputs = input_.size();
    for (const ExprId operand : function.operands(id)) {
      if (!Contains(operand) && !graph.IsInline(operand)) input_.push_back(operand);
    }
    if (input_.size() != inputs) entry_.push_back(id);
    const size_t outputs = output_.size();
    for (const ExprId user : graph.users(id)) {
      if (!Contains(user)) output_.push_back(user);
    }
    if (output_.size() != outputs || id == function.root()) exit_.push_back(id);
  }
  SortAndUnite(input_);
  SortAndUnite(output_);
  depth_ = FindDepth(graph);
  const auto add = [this](uint32_t number) { key_.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  add(static_cast<uint32_t>(inside_.size()));
  for (const ExprId id : inside_) add(id.value());
  for (const NestedPart& each : nested_) {
    add(static_cast<uint32_t>(each.kind));
    add(static_cast<uint32_t>(each.name.size()));
    key_ += each.name + each.part->key();
  }
}

auto CollagePart::Of(const CollageGraph& graph, std::vector<ExprId> inside) -> CollagePartRef {
  SortAndUnite(inside);
  Fusion fusion = Fusion::kElemWise;
  std::string label;
  for (const ExprId id : inside) {
    fusion = std::max(fusion, graph.FusionOf(id));
    label = JoinLabels(label, graph.LabelOf(id));
  }
  return std::make_shared<const CollagePart>(graph, std::move(inside), fusion, std::move(label));
}

auto CollagePart::Union(const CollageGraph& graph, const CollagePart& a, const CollagePart& b, std::string label)
    -> CollagePartRef {
  std::vector<ExprId> inside;
  std::ranges::set_union(a.inside_, b.inside_, std::back_inserter(inside));
  std::vector<NestedPart> nested = a.nested_;
  for (const NestedPart& each : b.nested_) {
    const auto same = std::ranges::find_if(nested, [&](const NestedPart& known) {
      return known.kind == NestedPart::Kind::kCompiler && known.kind == each.kind && known.name == each.name;
    });
    if (same == nested.end()) {
      nested.push_back(each);
    } else {
      same->part = Union(graph, *same->part, *each.part, JoinLabels(same->part->label(), each.part->label()));
    }
  }
  return std::make_shared<const CollagePart>(graph, std::move(inside), std::max(a.fusion_, b.fusion_), std::move(label),
                                             std::move(nested));
}

auto CollagePart::AsFunction(const CollageGraph& graph, const CollagePartRef& part, NestedPart::Kind kind,
                             std::string_view name) -> CollagePartRef {
  std::vector<NestedPart> nested = {{kind, std::string(name), part}};
  return std::make_shared<const CollagePart>(graph, part->inside_, part->fusion_, part->label_, std::move(nested));
}

auto CollagePart::Contains(ExprId id) const -> bool { return std::ranges::binary_search(inside_, id); }

auto CollagePart::Overlaps(const CollagePart& other) const -> bool { return HaveCommon(inside_, other.inside_); }

auto CollagePart::FindDepth(const CollageGraph& graph) const -> size_t {
  absl::flat_hash_map<ExprId, size_t> depths;
  for (const ExprId id : entry_) depths[id] = 0;
  size_t deepest = 0;
  for (const ExprId id : inside_) {
    const auto found = depths.find(id);
    if (found == depths.end()) continue;
    const size_t next = found->second + 1;
    if (std::ranges::binary_search(exit_, id)) deepest = std::max(deepest, next);
    for (const ExprId user : graph.users(id)) {
      if (!Contains(user)) continue;
      size_t& depth = depths[user];
      depth = std::max(depth, next);
    }
  }
  return deepest;
}

auto CollagePart::IsValid(const CollageGraph& graph, size_t max_depth) const -> bool {
  if (exit_.size() > 1 || depth_ > max_depth) return false;
  const auto is_elsewhere = [&](ExprId id) { return graph.Block(id) != graph.Block(inside_.front()); };
  if (std::ranges::any_of(inside_, is_elsewhere)) return false;
  for (const ExprId id : exit_) {
    if (std::ranges::any_of(graph.users(id), [this](ExprId user) { return Contains(user); })) return false;
  }
  return !graph.Reaches(output_, entry_);
}

auto CollagePart::FlowsInto(const CollageGraph& graph, const CollagePart& other) const -> bool {
  std::vector<ExprId> between;
  std::ranges::set_difference(output_, other.inside_, std::back_inserter(between));
  return graph.Reaches(between, other.entry_);
}

auto CollagePart::Touches(const CollageGraph& graph, const CollagePart& other) const -> bool {
  if (Overlaps(other) || !HaveCommon(output_, other.entry_)) return false;
  return !FlowsInto(graph, other) && !other.FlowsInto(graph, *this);
}

auto CollagePart::IsBefore(const CollagePart& other) const -> bool {
  if (inside_.front() != other.inside_.front()) return inside_.front() < other.inside_.front();
  return HasFewerEarly(inside_, other.inside_);
}

}  // namespace relayopt
