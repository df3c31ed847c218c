// Approximations by polynomials.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

namespace relayopt {

// c[0] + c[1] x + c[2] x^2 ...
template <size_t N>
auto Polynomial(const float (&c)[N], float x) -> float {
  float sum = c[N - 1];
  for (size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// exp(x), approximately, as TVM's fast operators compute it. They saturate beyond 88.4 and -88.4, where this goes on to
// infinity and 0.
inline auto FastExp(float x) -> float {
  if (std::isnan(x)) return x;
  // exp is infinite above 88.8, and 0 below -104.
  const float clamped = std::fmax(std::fmin(x, 89.0F), -105.0F);
  const float n = std::floor(clamped * std::numbers::log2e_v<float> + 0.5F);
  const float f = clamped - n * std::numbers::ln2_v<float>;
  constexpr float kC[] = {5.0000001201e-1F, 1.6666665459e-1F, 4.1665795894e-2F,
                          8.3334519073e-3F, 1.3981999507e-3F, 1.9875691500e-4F};
  const float y = Polynomial(kC, f) * f * f + f + 1.0F;
  return std::ldexp(y, static_cast<int>(n));
}

}  // namespace relayopt
