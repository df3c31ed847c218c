// Precompiled header: what nearly every source of the library includes from outside of it (build_flags.cmake). Sources
// and headers still include what they use.

#include <fmt/format.h>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
