// Puts external data into attributes, inner graphs and functions.
#include "inner_data.h"

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>
#include <vector>

#include "diagnostics.h"
#include "fields.h"

namespace relayopt::onnx {

namespace {

using protozero::pbf_wire_type;

enum class MessageKind { kModel, kGraph, kNode, kFunction, kAttribute, kSparse, kTensor };

// A field of a message that holds a message from which tensors can be reached.
struct Nested {
  MessageKind in;
  uint32_t field;
  MessageKind kind;
};

constexpr Nested kNested[] = {
    {MessageKind::kModel, field::kModelGraph, MessageKind::kGraph},
    {MessageKind::kModel, field::kFunctions, MessageKind::kFunction},
    {MessageKind::kGraph, field::kNode, MessageKind::kNode},
    {MessageKind::kGraph, field::kInitializer, MessageKind::kTensor},
    {MessageKind::kGraph, field::kSparseInitializer, MessageKind::kSparse},
    {MessageKind::kFunction, field::kFunctionNode, MessageKind::kNode},
    {MessageKind::kFunction, field::kFunctionAttributeProto, MessageKind::kAttribute},
    {MessageKind::kNode, field::kAttribute, MessageKind::kAttribute},
    {MessageKind::kAttribute, field::kT, MessageKind::kTensor},
    {MessageKind::kAttribute, field::kTensors, MessageKind::kTensor},
    {MessageKind::kAttribute, field::kG, MessageKind::kGraph},
    {MessageKind::kAttribute, field::kGraphs, MessageKind::kGraph},
    {MessageKind::kAttribute, field::kSparseTensor, MessageKind::kSparse},
    {MessageKind::kAttribute, field::kSparseTensors, MessageKind::kSparse},
    {MessageKind::kSparse, field::kSparseValues, MessageKind::kTensor},
    {MessageKind::kSparse, field::kSparseIndices, MessageKind::kTensor},
};

// Messages of the wire format hold at most 2 GiB.
constexpr size_t kMostInside = size_t{3} << 29;

// Messages in each other; each is copied into the one around it.
constexpr size_t kMostOpen = 300;

// Copies a model message by message. Graphs may nest at any depth, so the messages that are open are a list.
class Embedder {
 public:
  explicit Embedder(ExternalFiles& files) : files_(files) {}

  auto Run(std::string_view model) -> Result<std::string> {
    open_.push_back({MessageKind::kModel, 0, protozero::pbf_reader(model.data(), model.size()), {}});
    while (true) {
      Open& message = open_.back();
      const char* begin = message.reader.data().data();
      if (message.reader.next()) {
        if (auto error = CopyField(message, begin)) return *std::move(error);
        continue;
      }
      if (open_.size() == 1) return std::move(message.out);
      const uint32_t field = message.field;
      const std::string text = std::move(message.out);
      open_.pop_back();
      Append(open_.back().out, field, text);
    }
  }

 private:
  // A message that is being copied.
  struct Open {
    MessageKind kind;
    // The field that it is in the message around it.
    uint32_t field;
    protozero::pbf_reader reader;
    std::string out;
  };

  static void Append(std::string& out, uint32_t field, std::string_view text) {
    protozero::pbf_writer(out).add_bytes(field, text.data(), text.size());
  }

  auto CopyField(Open& message, const char* begin) -> std::optional<Diagnostic> {
    const uint32_t field = message.reader.tag();
    const auto* nested =
        std::ranges::find_if(kNested, [&](const Nested& row) { return row.in == message.kind && row.field == field; });
    const bool is_of_model = open_.size() == 2 && message.kind == MessageKind::kGraph &&
                             (field == field::kInitializer || field == field::kSparseInitializer);
    if (nested == std::end(kNested) || is_of_model || !message.reader.has_wire_type(pbf_wire_type::length_delimited)) {
      message.reader.skip();
      message.out.append(begin, message.reader.data().data());
      return std::nullopt;
    }
    const protozero::data_view view = message.reader.get_view();
    if (nested->kind == MessageKind::kTensor) return CopyTensor({view.data(), view.size()}, field, message.out);
    if (open_.size() == kMostOpen)
      return MakeDiagnostic(diag::kBadGraph, {}, "graphs with external data nest too deep for a copy of them");
    open_.push_back({nested->kind, field, protozero::pbf_reader(view), {}});
    return std::nullopt;
  }

  auto CopyTensor(std::string_view text, uint32_t field, std::string& out) -> std::optional<Diagnostic> {
    const auto tensor = ReadTensorProto(text);
    if (!tensor) return tensor.error();
    if (!tensor->is_external) return (Append(out, field, text), std::nullopt);
    const auto bytes = files_.FindWhole(*tensor);
    if (!bytes) return bytes.error();
    size_ += bytes->size();
    if (size_ > kMostInside) {
      return MakeDiagnostic(diag::kBadTensor, {}, tensor->name, "nodes with external data do not fit a model");
    }
    std::string whole;
    protozero::pbf_reader reader(text.data(), text.size());
    for (const char* begin = text.data(); reader.next(); begin = reader.data().data()) {
      const uint32_t tag = reader.tag();
      reader.skip();
      const bool is_replaced = tag == field::kRawData || tag == field::kExternalData || tag == field::kDataLocation;
      if (!is_replaced) whole.append(begin, reader.data().data());
    }
    Append(whole, field::kRawData, *bytes);
    Append(out, field, whole);
    return std::nullopt;
  }

  ExternalFiles& files_;
  std::vector<Open> open_;
  // Of the data that were put in.
  size_t size_ = 0;
};

}  // namespace

auto WithInnerData(std::string_view model, ExternalFiles& files) -> Result<std::string> {
  return Embedder(files).Run(model);
}

}  // namespace relayopt::onnx
