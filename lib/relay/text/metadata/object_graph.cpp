// Object graphs in JSON. Each object is created after those it refers to, with an explicit stack.
#include "relayopt/relay/text/object_graph.h"

#include <utility>
#include <vector>

#include "metadata_objects.h"

namespace relayopt {

class ObjectGraph::Impl {
 public:
  // A damaged file gets at most a screen of messages.
  static constexpr size_t kMostErrors = 20;

  Impl(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
       const ExternalConstants& external)
      : context(context), sink(sink), json(source, range, sink), external(external) {}

  // Parses the text. Returns false after an error.
  auto Parse() -> bool {
    const size_t errors = sink.errors();
    auto parsed = ParseMetadata(json, sink);
    if (!parsed) return false;
    raw = *std::move(parsed);
    if (raw.root >= raw.nodes.size()) {
      sink.Report(diag::kMetaNode, {raw.root_begin, raw.root_begin + 1}, raw.root, raw.nodes.size());
      return false;
    }
    maker.emplace(context, json, raw, external, sink);
    states_.resize(raw.nodes.size());
    for (uint32_t i = 0; i < raw.nodes.size() && sink.errors() - errors < kMostErrors; ++i) maker->Resolve(i);
    return sink.errors() == errors;
  }

  auto FieldOf(uint32_t node, std::string_view name) const -> const RawField* {
    const PoolRange& fields = raw.nodes[node].fields;
    for (uint32_t i = 0; i < fields.count; ++i) {
      const RawField& field = raw.fields[fields.first + i];
      if (json.text(field.name) == name) return &field;
    }
    return nullptr;
  }

  // Returns false if the node or one that it refers to is invalid, which has then been reported.
  auto Make(uint32_t start) -> bool {
    if (states_[start] == State::kNew) {
      states_[start] = State::kOpen;
      open_.push_back({start});
    }
    while (!open_.empty()) {
      Open& top = open_.back();
      const RawNode& node = raw.nodes[top.node];
      if (top.next == node.items.count + node.fields.count) {
        const bool ok = !top.failed && maker->Make(top.node);
        states_[top.node] = ok ? State::kMade : State::kFailed;
        open_.pop_back();
        if (!ok && !open_.empty()) open_.back().failed = true;
        continue;
      }
      const auto child = ChildAt(node, top.next++);
      if (!child || states_[*child] == State::kMade) continue;
      if (states_[*child] == State::kFailed) {
        top.failed = true;
      } else if (states_[*child] == State::kOpen) {
        const uint32_t begin = raw.nodes[*child].begin;
        sink.Report(diag::kMetaCycle, {begin, begin + 1}, *child);
        top.failed = true;
      } else {
        states_[*child] = State::kOpen;
        open_.push_back({*child});
      }
    }
    return states_[start] == State::kMade;
  }

  Context& context;
  DiagnosticSink& sink;
  JsonScanner json;
  ExternalConstants external;
  RawMetadata raw;
  std::optional<ObjectMaker> maker;

 private:
  enum class State : uint8_t { kNew, kOpen, kMade, kFailed };
  struct Open {
    uint32_t node;
    // The next child to visit.
    uint32_t next = 0;
    // A child is invalid, which has been reported.
    bool failed = false;
  };

  // Returns the i-th reference of a node, counting fields after elements, or nothing for a literal.
  auto ChildAt(const RawNode& node, uint32_t i) const -> std::optional<uint32_t> {
    if (i < node.items.count) return raw.items[node.items.first + i];
    const uint32_t child = raw.fields[node.fields.first + (i - node.items.count)].child;
    if (child == RawField::kNoChild) return std::nullopt;
    return child;
  }

  std::vector<State> states_;
  std::vector<Open> open_;
};

ObjectGraph::ObjectGraph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObjectGraph::~ObjectGraph() = default;

auto ObjectGraph::Parse(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                        const ExternalConstants& external) -> std::unique_ptr<ObjectGraph> {
  auto impl = std::make_unique<Impl>(context, source, range, sink, external);
  if (!impl->Parse()) return nullptr;
  return std::unique_ptr<ObjectGraph>(new ObjectGraph(std::move(impl)));
}

auto ObjectGraph::size() const -> uint32_t { return static_cast<uint32_t>(impl_->raw.nodes.size()); }

auto ObjectGraph::root() const -> uint32_t { return impl_->raw.root; }

auto ObjectGraph::type_key(uint32_t node) const -> std::string_view {
  return impl_->json.text(impl_->raw.nodes[node].type_key);
}

auto ObjectGraph::range(uint32_t node) const -> SourceRange {
  const uint32_t begin = impl_->raw.nodes[node].begin;
  return {begin, begin + 1};
}

auto ObjectGraph::items(uint32_t node) const -> std::span<const uint32_t> {
  const PoolRange& items = impl_->raw.nodes[node].items;
  return std::span(impl_->raw.items).subspan(items.first, items.count);
}

auto ObjectGraph::child(uint32_t node, std::string_view field) const -> std::optional<uint32_t> {
  const RawField* found = impl_->FieldOf(node, field);
  if (found == nullptr || found->child == RawField::kNoChild) return std::nullopt;
  return found->child;
}

auto ObjectGraph::literal(uint32_t node, std::string_view field) const -> std::optional<std::string_view> {
  const RawField* found = impl_->FieldOf(node, field);
  if (found == nullptr) return std::nullopt;
  return impl_->json.text(found->value);
}

auto ObjectGraph::CountUses() const -> std::vector<uint32_t> {
  std::vector<uint32_t> uses(size());
  for (const uint32_t item : impl_->raw.items) ++uses[item];
  for (const RawField& field : impl_->raw.fields) {
    if (field.child != RawField::kNoChild) ++uses[field.child];
  }
  return uses;
}

auto ObjectGraph::Object(uint32_t node) -> std::optional<ObjectId> {
  if (!impl_->Make(node)) return std::nullopt;
  return impl_->maker->object(node);
}

auto ObjectGraph::MakeAll() -> bool {
  const size_t errors = impl_->sink.errors();
  for (uint32_t i = 0; i < size() && impl_->sink.errors() - errors < Impl::kMostErrors; ++i) impl_->Make(i);
  return impl_->sink.errors() == errors;
}

}  // namespace relayopt
