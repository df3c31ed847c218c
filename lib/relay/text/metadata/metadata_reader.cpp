// Reads the `#[metadata]` section.
#include "metadata_objects.h"
#include "relayopt/relay/text/metadata.h"

namespace relayopt {

namespace {

// Visits the nodes so that each is made after those it refers to.
class GraphReader {
 public:
  GraphReader(Context& context, JsonScanner& json, RawMetadata& raw, const ExternalConstants& external,
              DiagnosticSink& sink)
      : context_(context),
        raw_(raw),
        sink_(sink),
        maker_(context, json, raw, external, sink),
        state_(raw.nodes.size(), State::kNew) {}

  auto Read() -> std::optional<MetaTable> {
    // One damaged file needs no more than a screen of messages.
    constexpr size_t kMostErrors = 20;
    const size_t errors = sink_.errors();
    if (raw_.root >= raw_.nodes.size()) {
      sink_.Report(diag::kMetaNode, {raw_.root_begin, raw_.root_begin + 1}, raw_.root, raw_.nodes.size());
      return std::nullopt;
    }
    for (uint32_t i = 0; i < raw_.nodes.size() && sink_.errors() - errors < kMostErrors; ++i) maker_.Resolve(i);
    if (sink_.errors() != errors) return std::nullopt;
    for (uint32_t i = 0; i < raw_.nodes.size() && sink_.errors() - errors < kMostErrors; ++i) {
      if (state_[i] == State::kNew && !Visit(i)) return std::nullopt;
    }
    if (sink_.errors() != errors) return std::nullopt;
    return Table();
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kMade, kFailed };
  struct Open {
    uint32_t node;
    // The next child to look at.
    uint32_t next = 0;
    // A child is damaged, which has been reported.
    bool failed = false;
  };

  // The i-th reference of a node, counting fields after elements; nothing for a literal.
  auto ChildAt(const RawNode& node, uint32_t i) const -> std::optional<uint32_t> {
    if (i < node.items.count) return raw_.items[node.items.first + i];
    const uint32_t child = raw_.fields[node.fields.first + (i - node.items.count)].child;
    if (child == RawField::kNoChild) return std::nullopt;
    return child;
  }

  // False when nodes contain each other.
  auto Visit(uint32_t start) -> bool {
    state_[start] = State::kOpen;
    open_.push_back({start});
    while (!open_.empty()) {
      Open& top = open_.back();
      const RawNode& node = raw_.nodes[top.node];
      if (top.next == node.items.count + node.fields.count) {
        const bool ok = !top.failed && maker_.Make(top.node);
        state_[top.node] = ok ? State::kMade : State::kFailed;
        open_.pop_back();
        if (!ok && !open_.empty()) open_.back().failed = true;
        continue;
      }
      const auto child = ChildAt(node, top.next++);
      if (!child || state_[*child] == State::kMade) continue;
      if (state_[*child] == State::kFailed) {
        top.failed = true;
        continue;
      }
      if (state_[*child] == State::kOpen) {
        const uint32_t begin = raw_.nodes[*child].begin;
        sink_.Report(diag::kMetaCycle, {begin, begin + 1}, *child);
        return false;
      }
      state_[*child] = State::kOpen;
      open_.push_back({*child});
    }
    return true;
  }

  auto Table() -> std::optional<MetaTable> {
    const RawNode& root = raw_.nodes[raw_.root];
    const ObjectId map = maker_.object(raw_.root);
    const auto fail = [&]() -> std::optional<MetaTable> {
      sink_.Report(diag::kMetaRoot, {root.begin, root.begin + 1});
      return std::nullopt;
    };
    if (!map || context_.object(map).kind != ObjectKind::kMap) return fail();
    MetaTable table;
    const auto items = context_.object(map).items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (!items[i] || !items[i + 1]) return fail();
      const Object& key = context_.object(items[i]);
      const Object& list = context_.object(items[i + 1]);
      if (key.kind != ObjectKind::kString || list.kind != ObjectKind::kArray) return fail();
      table.emplace(context_.text(key.text), std::vector<ObjectId>(list.items.begin(), list.items.end()));
    }
    return table;
  }

  Context& context_;
  RawMetadata& raw_;
  DiagnosticSink& sink_;
  ObjectMaker maker_;
  std::vector<State> state_;
  std::vector<Open> open_;
};

}  // namespace

auto ReadMetadata(Context& context, const SourceText& source, SourceRange range, DiagnosticSink& sink,
                  const ExternalConstants& external) -> std::optional<MetaTable> {
  JsonScanner json(source, range, sink);
  auto raw = ParseMetadata(json, sink);
  if (!raw) return std::nullopt;
  return GraphReader(context, json, *raw, external, sink).Read();
}

}  // namespace relayopt
