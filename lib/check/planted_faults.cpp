// The registered wrong rules.
#include "relayopt/check/planted_faults.h"

namespace relayopt {

namespace {

auto TheFaults() -> std::span<const PlantedFault>& {
  static std::span<const PlantedFault> faults;
  return faults;
}

}  // namespace

auto PlantedFaults() -> std::span<const PlantedFault> { return TheFaults(); }

auto FindPlantedFault(std::string_view name) -> const PlantedFault* {
  for (const PlantedFault& fault : TheFaults()) {
    if (fault.name == name) return &fault;
  }
  return nullptr;
}

void SetPlantedFaults(std::span<const PlantedFault> faults) { TheFaults() = faults; }

}  // namespace relayopt
