// Parses the JSON of a metadata section.
#include "metadata_raw.h"

#include <algorithm>

namespace relayopt {

namespace {

class Parser {
 public:
  Parser(JsonScanner& json, DiagnosticSink& sink) : json_(json), sink_(sink) {}

  auto Parse() -> bool {
    const uint32_t begin = json_.Here();
    enum Member : uint8_t { kRoot = 1, kNodes = 2, kTensors = 4, kAttrs = 8 };
    uint8_t seen = 0;
    const bool ok = json_.Object([&](Slice name) {
      const std::string_view key = json_.text(name);
      if (key == "root") return Once(seen, kRoot, name) && ParseRoot();
      if (key == "nodes") return Once(seen, kNodes, name) && json_.Array([this] { return ParseNode(); });
      if (key == "b64ndarrays") return Once(seen, kTensors, name) && json_.Array([this] { return ParseTensor(); });
      if (key == "attrs") return Once(seen, kAttrs, name) && ParseRemarks();
      return Unknown(name);
    });
    if (!ok) return false;
    if (!json_.AtEnd()) {
      sink_.Report(diag::kMetaTrailing, {json_.Here(), json_.Here() + 1});
      return false;
    }
    if ((seen & kRoot) == 0 || (seen & kNodes) == 0) {
      sink_.Report(diag::kMetaMissing, {begin, begin + 1}, "the section", (seen & kRoot) == 0 ? "root" : "nodes");
      return false;
    }
    return true;
  }

  auto result() -> RawMetadata& { return raw_; }

 private:
  auto Unknown(Slice name) -> bool {
    sink_.Report(diag::kMetaUnknownMember, name.range(), Printable(json_.text(name)));
    return false;
  }

  auto Once(uint8_t& seen, uint8_t member, Slice name) -> bool {
    if ((seen & member) != 0) {
      sink_.Report(diag::kMetaDuplicate, name.range(), json_.text(name));
      return false;
    }
    seen |= member;
    return true;
  }

  auto ParseRoot() -> bool {
    raw_.root_begin = json_.Here();
    return json_.Index(raw_.root);
  }

  auto ParseTensor() -> bool { return json_.String(raw_.tensors.emplace_back()); }

  // Information about the writer of the section, which is ignored.
  auto ParseRemarks() -> bool {
    return json_.Object([this](Slice) {
      Slice value;
      return json_.String(value);
    });
  }

  auto ParseNode() -> bool {
    RawNode node;
    node.begin = json_.Here();
    enum Member : uint8_t { kTypeKey = 1, kBytes = 2, kAttrs = 4, kKeys = 8, kData = 16 };
    uint8_t seen = 0;
    const bool ok = json_.Object([&](Slice name) {
      const std::string_view key = json_.text(name);
      if (key == "type_key") return Once(seen, kTypeKey, name) && ParseTypeKey(node.type_key);
      if (key == "repr_str" || key == "repr_b64") {
        node.bytes_kind = key == "repr_str" ? RawNode::Bytes::kText : RawNode::Bytes::kBase64;
        return Once(seen, kBytes, name) && json_.String(node.bytes);
      }
      if (key == "attrs") return Once(seen, kAttrs, name) && ParseFields(node);
      if (key == "keys") return Once(seen, kKeys, name) && ParseKeys(node);
      if (key == "data") return Once(seen, kData, name) && ParseItems(node);
      return Unknown(name);
    });
    if (!ok) return false;
    if ((seen & kTypeKey) == 0) {
      sink_.Report(diag::kMetaMissing, {node.begin, node.begin + 1}, "a node", "type_key");
      return false;
    }
    raw_.nodes.push_back(node);
    return true;
  }

  // The name of a class is used and written as it stands there.
  auto ParseTypeKey(Slice& key) -> bool {
    const uint32_t begin = json_.Here();
    if (!json_.String(key)) return false;
    const std::string_view text = json_.text(key);
    if (std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && c != '\\'; })) return true;
    sink_.Report(diag::kMetaSyntax, {begin, json_.Here()}, "the name of a class", Printable(text));
    return false;
  }

  auto ParseFields(RawNode& node) -> bool {
    node.fields.first = static_cast<uint32_t>(raw_.fields.size());
    return json_.Object([&](Slice name) {
      ++node.fields.count;
      Slice value;
      const bool ok = json_.String(value);
      raw_.fields.push_back({name, value});
      return ok;
    });
  }

  auto ParseKeys(RawNode& node) -> bool {
    node.keys.first = static_cast<uint32_t>(raw_.keys.size());
    return json_.Array([&] {
      ++node.keys.count;
      return json_.String(raw_.keys.emplace_back());
    });
  }

  auto ParseItems(RawNode& node) -> bool {
    node.data_begin = json_.Here();
    node.items.first = static_cast<uint32_t>(raw_.items.size());
    return json_.Array([&] {
      ++node.items.count;
      return json_.Index(raw_.items.emplace_back());
    });
  }

  JsonScanner& json_;
  DiagnosticSink& sink_;
  RawMetadata raw_;
};

}  // namespace

auto ParseMetadata(JsonScanner& json, DiagnosticSink& sink) -> std::optional<RawMetadata> {
  Parser parser(json, sink);
  if (!parser.Parse()) return std::nullopt;
  return std::move(parser.result());
}

}  // namespace relayopt
