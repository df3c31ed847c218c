// Wrong rules of the reference, to measure what finds them. The rules themselves are no part of the library: a pass
// TestPlantedFault that only the tool and the tests have applies them.
#pragma once

#include <span>
#include <string_view>

namespace relayopt {

struct PlantedFault {
  // The option `fault` of the pass TestPlantedFault.
  std::string_view name;
  // The pass that the reference has it in.
  std::string_view host;
  std::string_view doc;
};

// Null when there is none of this name, or none at all.
auto FindPlantedFault(std::string_view name) -> const PlantedFault*;
// Says which there are. The array must live for ever. Not while faults are looked up.
void SetPlantedFaults(std::span<const PlantedFault> faults);

}  // namespace relayopt
