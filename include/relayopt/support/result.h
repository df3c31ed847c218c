// Result<T>: a value, or the diagnostic that says why there is none.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// Holds a T, or the diagnostic that explains its absence. Has the names of std::expected, which C++20 lacks.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Converts whatever a T can be made of implicitly: a Result<std::optional<T>> can be made from a T or std::nullopt.
  template <typename U = T>
  requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
           !std::is_same_v<std::remove_cvref_t<U>, Diagnostic>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}

  auto has_value() const -> bool { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  auto value() & -> T& { return std::get<0>(state_); }
  auto value() const& -> const T& { return std::get<0>(state_); }
  auto value() && -> T&& { return std::get<0>(std::move(state_)); }
  auto operator*() & -> T& { return value(); }
  auto operator*() const& -> const T& { return value(); }
  auto operator->() -> T* { return &value(); }
  auto operator->() const -> const T* { return &value(); }
  auto error() & -> Diagnostic& { return std::get<1>(state_); }
  auto error() const& -> const Diagnostic& { return std::get<1>(state_); }
  auto error() && -> Diagnostic&& { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Diagnostic> state_;
};

}  // namespace relayopt

#define RELAYOPT_CONCAT_(a, b) a##b
#define RELAYOPT_CONCAT(a, b) RELAYOPT_CONCAT_(a, b)
#define RELAYOPT_TRY_(result, declaration, expression) \
  auto result = (expression);                          \
  if (!result) return std::move(result).error();       \
  declaration = std::move(result).value()
// `RELAYOPT_TRY(auto x, F());` declares x, or returns the error of F from the enclosing function.
#define RELAYOPT_TRY(declaration, expression) \
  RELAYOPT_TRY_(RELAYOPT_CONCAT(result_, __COUNTER__), declaration, expression)
