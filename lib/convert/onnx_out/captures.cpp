// Renaming in messages of graphs: names that nodes take from outside are replaced, everything else is copied as it is.
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "lib/convert/onnx/fields.h"
#include "model.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

using Map = TextViewMap<std::string_view>;

// The depth to which nested graphs are renamed.
constexpr int kMostGraphs = 64;

enum class Message { kAttribute, kGraph, kNode, kValueInfo };

auto Renamed(Message kind, data_view message, const Map& names, int depth) -> std::string;

void AddName(pbf_writer& to, uint32_t tag, data_view name, const Map& names) {
  const auto found = names.find(std::string_view(name.data(), name.size()));
  if (found == names.end()) {
    to.add_bytes(tag, name);
  } else {
    to.add_bytes(tag, found->second.data(), found->second.size());
  }
}

// Returns the kind of message that a field holds, or nothing for a field that is copied.
auto InnerOf(Message kind, uint32_t tag) -> std::optional<Message> {
  if (kind == Message::kAttribute && (tag == field::kG || tag == field::kGraphs)) return Message::kGraph;
  if (kind == Message::kGraph && tag == field::kNode) return Message::kNode;
  if (kind == Message::kGraph && tag == field::kOutput) return Message::kValueInfo;
  if (kind == Message::kNode && tag == field::kAttribute) return Message::kAttribute;
  return std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): bounded by kMostGraphs.
auto Renamed(Message kind, data_view message, const Map& names, int depth) -> std::string {
  if (depth > kMostGraphs) return {message.data(), message.size()};
  std::string bytes;
  pbf_writer to(bytes);
  pbf_reader from(message);
  while (from.next()) {
    const uint32_t tag = from.tag();
    switch (from.wire_type()) {
      case pbf_wire_type::varint: to.add_uint64(tag, from.get_uint64()); break;
      case pbf_wire_type::fixed64: to.add_fixed64(tag, from.get_fixed64()); break;
      case pbf_wire_type::fixed32: to.add_fixed32(tag, from.get_fixed32()); break;
      case pbf_wire_type::length_delimited: {
        const data_view inner = from.get_view();
        const bool is_name = (kind == Message::kNode && tag == field::kNodeInput) ||
                             (kind == Message::kValueInfo && tag == field::kValueName);
        if (is_name) {
          AddName(to, tag, inner, names);
        } else if (const auto nested = InnerOf(kind, tag)) {
          to.add_bytes(tag, Renamed(*nested, inner, names, depth + 1));
        } else {
          to.add_bytes(tag, inner);
        }
        break;
      }
      default: from.skip();
    }
  }
  return bytes;
}

}  // namespace

auto WithRenamedCaptures(std::string_view attribute, std::span<const std::string_view> from, std::span<const Name> to)
    -> std::string {
  Map names;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != to[i].text()) names[from[i]] = to[i].text();
  }
  if (names.empty()) return std::string(attribute);
  return Renamed(Message::kAttribute, {attribute.data(), attribute.size()}, names, 0);
}

}  // namespace relayopt::onnx::out
