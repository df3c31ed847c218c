// Recurrent networks of ONNX, evaluated step by step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/core/tensor.h"

namespace relayopt::onnx {

enum class RecurrentKind : uint8_t { kRNN, kGRU, kLSTM };

// An activation by its ONNX name, with its parameters where they differ from the defaults.
struct RecurrentActivation {
  std::string name;
  std::optional<double> alpha = {};
  std::optional<double> beta = {};
};

// Whether an activation takes a number of activation_alpha, and of activation_beta.
auto ActivationHasAlpha(std::string_view name) -> bool;
auto ActivationHasBeta(std::string_view name) -> bool;

// The attributes of a node. Activations are those of all directions, one, two or three for each (RNN, GRU, LSTM); empty
// for ONNX's defaults.
struct RecurrentAttributes {
  RecurrentKind kind = RecurrentKind::kLSTM;
  std::string direction = "forward";
  std::vector<RecurrentActivation> activations = {};
  // 0: inputs of activations are not limited.
  double clip = 0;
  bool batch_first = false;
  bool input_forget = false;
  bool linear_before_reset = false;
};

// The inputs in ONNX's order and layouts; null for those that are not given. Elements are float16, float32 or float64,
// all alike; lengths are int32.
struct RecurrentInputs {
  const Tensor* x = nullptr;
  const Tensor* w = nullptr;
  const Tensor* r = nullptr;
  const Tensor* b = nullptr;
  const Tensor* lengths = nullptr;
  const Tensor* h = nullptr;
  const Tensor* c = nullptr;
  const Tensor* p = nullptr;
};

// Y, Y_h and, of an LSTM, Y_c.
struct RecurrentOutputs {
  Tensor y;
  Tensor h;
  std::optional<Tensor> c;
};

// Steps through time: beside inputs and outputs it needs the memory of one step. Returns nothing,
// with the reason in `error`, if shapes, element types or names do not fit.
auto RunRecurrent(const RecurrentAttributes& attributes, const RecurrentInputs& inputs, std::string& error)
    -> std::optional<RecurrentOutputs>;

}  // namespace relayopt::onnx
