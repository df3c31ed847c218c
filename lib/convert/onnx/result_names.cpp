// Names of the tensors in the result of a program.
#include "relayopt/convert/onnx/result_names.h"

#include <fmt/format.h>

#include <set>

namespace relayopt {

auto ResultNames(std::span<const std::string_view> outputs, const ResultFields& fields) -> std::vector<std::string> {
  std::vector<std::string> names;
  if (outputs.size() != fields.size()) {
    for (const std::optional<size_t>& field : fields) {
      for (size_t i = 0; i < field.value_or(1); ++i) names.push_back(fmt::format("output_{}", names.size()));
    }
    return names;
  }
  std::set<std::string, std::less<>> taken(outputs.begin(), outputs.end());
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i]) names.emplace_back(outputs[i]);
    for (size_t item = 0; item < fields[i].value_or(0); ++item) {
      std::string name = fmt::format("{}_{}", outputs[i], item);
      while (!taken.insert(name).second) name += '_';
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace relayopt
