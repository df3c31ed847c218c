// The interface of an ONNX model (names of the graph, of inputs and outputs, metadata), which modules of Relay cannot
// express.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/ids.h"

namespace relayopt {

class Constant;
class Context;

namespace onnx {
struct ModelProto;
struct NodeProto;
}  // namespace onnx

// An input or output as users of the model know it.
struct OnnxPort {
  std::string name;
  // The names of symbolic extents; empty for extents without a name.
  std::vector<std::string> symbols;
  // TensorProto.DataType; 0 if the model does not have one.
  int32_t element_type = 0;
  // The serialized ValueInfoProto of the model; empty if options have changed shapes or types.
  std::string message = {};
  // For inputs: the value where callers give none, or null.
  std::shared_ptr<const Constant> default_value = nullptr;
};

// The data of an ONNX model that its module does not contain and that is needed to write it again.
struct OnnxNames {
  std::string graph;
  // The version of the operator set.
  int64_t opset = 0;
  // Keyed by the name of the parameter of @main.
  std::map<std::string, OnnxPort, std::less<>> inputs;
  std::vector<OnnxPort> outputs;
  // In the order of the file.
  std::vector<std::pair<std::string, std::string>> metadata;
};

// A part of the context that keeps the interface of the model that its module was read from, so that passes do not lose
// it. Empty for other modules. Thread-safe.
class OnnxInterface {
 public:
  explicit OnnxInterface(Context&) {}

  void Set(OnnxNames names) {
    const std::lock_guard lock(mutex_);
    names_ = std::move(names);
  }
  auto Get() const -> OnnxNames {
    const std::lock_guard lock(mutex_);
    return names_;
  }
  // The model itself, for modules that keep its nodes as calls; null for others. It consists of views of the source
  // that the context keeps. Nodes noted of an earlier model stay valid.
  void SetModel(std::shared_ptr<const onnx::ModelProto> model) {
    const std::lock_guard lock(mutex_);
    if (model_ != nullptr) storage_.push_back(std::move(model_));
    model_ = std::move(model);
  }
  auto model() const -> std::shared_ptr<const onnx::ModelProto> {
    const std::lock_guard lock(mutex_);
    return model_;
  }
  // The node that calls with this span source were read from; null for others.
  void NoteNode(StringId span, const onnx::NodeProto* node) {
    const std::lock_guard lock(mutex_);
    nodes_[span] = node;
  }
  auto has_nodes() const -> bool {
    const std::lock_guard lock(mutex_);
    return !nodes_.empty();
  }
  // Makes room for so many more.
  void ReserveNodes(size_t count) {
    const std::lock_guard lock(mutex_);
    nodes_.reserve(nodes_.size() + count);
  }
  // Keeps what noted nodes are views of.
  void Keep(std::shared_ptr<const void> storage) {
    const std::lock_guard lock(mutex_);
    storage_.push_back(std::move(storage));
  }
  // Everything that reading another model into the context replaces.
  struct State {
    OnnxNames names;
    std::shared_ptr<const onnx::ModelProto> model;
    absl::flat_hash_map<StringId, const onnx::NodeProto*> nodes;
  };
  // Sets it, and returns what was there. Nodes noted until then stay valid.
  auto Exchange(State state) -> State {
    const std::lock_guard lock(mutex_);
    if (model_ != nullptr) storage_.push_back(model_);
    return {std::exchange(names_, std::move(state.names)), std::exchange(model_, std::move(state.model)),
            std::exchange(nodes_, std::move(state.nodes))};
  }
  auto FindNode(StringId span) const -> const onnx::NodeProto* {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(span);
    return found == nodes_.end() ? nullptr : found->second;
  }

 private:
  mutable std::mutex mutex_;
  OnnxNames names_;
  std::shared_ptr<const onnx::ModelProto> model_;
  absl::flat_hash_map<StringId, const onnx::NodeProto*> nodes_;
  std::vector<std::shared_ptr<const void>> storage_;
};

}  // namespace relayopt
