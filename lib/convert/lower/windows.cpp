#include "windows.h"

#include "relayopt/core/extents.h"

namespace relayopt {

auto FullPadding(const DimList& padding, size_t spatial) -> std::optional<std::vector<int64_t>> {
  auto given = KnownExtents(padding.values);
  if (!given) return std::nullopt;
  if (given->size() == 1) given->resize(2 * spatial, (*given)[0]);
  if (given->size() == spatial)
    given->insert(given->end(), given->begin(), given->begin() + static_cast<int64_t>(spatial));
  return given->size() == 2 * spatial ? given : std::nullopt;
}

auto PerAxis(const DimList& list, size_t spatial) -> std::optional<std::vector<int64_t>> {
  auto given = KnownExtents(list.values);
  if (!given) return std::nullopt;
  if (given->size() == 1) given->resize(spatial, (*given)[0]);
  return given->size() == spatial ? given : std::nullopt;
}

}  // namespace relayopt
