// The JSON of a metadata section as data, before it is interpreted.
#pragma once

#include <optional>
#include <vector>

#include "metadata_json.h"

namespace relayopt {

// A member of a node's `attrs`.
struct RawField {
  static constexpr uint32_t kNoChild = UINT32_MAX;
  Slice name;
  Slice value;
  // The node that the value names, once the class of the node is known.
  uint32_t child = kNoChild;
};

// A range of one of the pools of RawMetadata.
struct PoolRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

struct RawNode {
  enum class Bytes : uint8_t { kNone, kText, kBase64 };
  // The offset of the section, and of its `data`.
  uint32_t begin = 0;
  uint32_t data_begin = 0;
  Slice type_key;
  Slice bytes;
  PoolRange fields;
  PoolRange keys;
  PoolRange items;
  Bytes bytes_kind = Bytes::kNone;
};

struct RawMetadata {
  uint32_t root = 0;
  uint32_t root_begin = 0;
  std::vector<RawNode> nodes;
  std::vector<Slice> tensors;
  std::vector<RawField> fields;
  std::vector<Slice> keys;
  std::vector<uint32_t> items;
};

// Nothing, with diagnostics, when the text is malformed.
auto ParseMetadata(JsonScanner& json, DiagnosticSink& sink) -> std::optional<RawMetadata>;

}  // namespace relayopt
