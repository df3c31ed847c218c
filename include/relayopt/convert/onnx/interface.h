// What an ONNX model is called by, which a module of Relay has no place for.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace relayopt {

class Context;

// An input or output as its users know it.
struct OnnxPort {
  std::string name;
  // Names of extents; empty for those without.
  std::vector<std::string> symbols;
  // TensorProto.DataType; 0 where the model does not say.
  int32_t element_type = 0;
};

struct OnnxNames {
  std::string graph;
  // The version of the operators.
  int64_t opset = 0;
  // By the name of the parameter of @main.
  std::map<std::string, OnnxPort, std::less<>> inputs;
  std::vector<OnnxPort> outputs;
  // In the order of the file.
  std::vector<std::pair<std::string, std::string>> metadata;
};

// A part of the context: the names of the model that its module was read from, so that they survive a way through
// passes. Empty for other modules. Thread-safe.
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

 private:
  mutable std::mutex mutex_;
  OnnxNames names_;
};

}  // namespace relayopt
