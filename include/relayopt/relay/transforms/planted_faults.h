// Wrong rules of the reference, to measure what finds them.
#pragma once

#include <string_view>

namespace relayopt {

struct PlantedFault {
  // The option `fault` of the pass TestPlantedFault.
  std::string_view name;
  // The pass that the reference has it in.
  std::string_view host;
  std::string_view doc;
};

// Null when there is none of this name.
auto FindPlantedFault(std::string_view name) -> const PlantedFault*;

}  // namespace relayopt
