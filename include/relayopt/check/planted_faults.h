// Planted faults: wrong rewrites that TVM has, for measuring which checks detect them. The library only knows
// their names; a pass TestPlantedFault, which only the tool and the tests have, applies them.
#pragma once

#include <span>
#include <string_view>

namespace relayopt {

// The row of a planted fault.
struct PlantedFault {
  // The name, for the option `fault` of the pass TestPlantedFault.
  std::string_view name;
  // The pass in which TVM has the fault.
  std::string_view host;
  std::string_view doc;
};

auto PlantedFaults() -> std::span<const PlantedFault>;
// Returns the fault with this name, or null if there is none.
auto FindPlantedFault(std::string_view name) -> const PlantedFault*;
// Sets the list of faults. The array must have static storage duration. Must not run while faults are looked up.
void SetPlantedFaults(std::span<const PlantedFault> faults);

}  // namespace relayopt
