// Operators on scalar expressions: types are matched and literals folded as everywhere else.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "relayopt/arith/expr_object.h"
#include "relayopt/arith/fold.h"

namespace relayopt::python {
namespace {

using arith::PrimExpr;
using arith::PrimKind;
using arith::Terms;

auto KindOfName(const std::string& name) -> PrimKind {
  for (auto kind = PrimKind::kAdd; kind <= PrimKind::kOr; kind = static_cast<PrimKind>(static_cast<int>(kind) + 1)) {
    if (arith::TypeKey(kind) == "tir." + name) return kind;
  }
  throw nb::value_error(("'" + name + "' is not an operator on two scalars").c_str());
}

// The term for an operand of this type: a literal, or a variable for anything else. Returns nothing for a literal that
// terms cannot hold.
auto TermOf(Terms& terms, const std::string& name, DataType type, nb::handle literal) -> std::optional<PrimExpr> {
  if (literal.is_none()) return terms.Var(name, type);
  if (PyFloat_Check(literal.ptr())) return terms.FloatImm(type, PyFloat_AsDouble(literal.ptr()));
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(literal.ptr(), &overflow);
  if (overflow != 0) return std::nullopt;
  if (type.code != TypeCode::kInt && type.code != TypeCode::kUInt) return std::nullopt;
  return terms.IntImm(type, value);
}

// How to build a term: "a" or "b" for an operand, (dtype, value) for a literal, ("Cast", dtype, term), or (operator,
// term, term).
auto PlanOf(const Terms& terms, PrimExpr term, PrimExpr a, PrimExpr b) -> nb::object {
  if (term == a || term == b) return nb::str(term == a ? "a" : "b");
  const nb::str dtype(ToString(terms.dtype(term)).c_str());
  switch (terms.kind(term)) {
    case PrimKind::kIntImm: return nb::make_tuple(dtype, terms.int_value(term));
    case PrimKind::kFloatImm: return nb::make_tuple(dtype, terms.float_value(term));
    case PrimKind::kCast: return nb::make_tuple("Cast", dtype, PlanOf(terms, terms.operand(term, 0), a, b));
    default: break;
  }
  // One operator on two of the above: nothing is nested deeper.
  const std::string name = arith::TypeKey(terms.kind(term)).substr(std::string_view("tir.").size());
  return nb::make_tuple(nb::str(name.c_str()), PlanOf(terms, terms.operand(term, 0), a, b),
                        PlanOf(terms, terms.operand(term, 1), a, b));
}

// operate(operator, dtype of a, its literal or None, dtype of b, its literal or None, whether both are one object):
// the plan of the result; None when the types do not match, or when a literal is too large.
auto Operate(const std::string& name, const std::string& a_type, nb::handle a_literal, const std::string& b_type,
             nb::handle b_literal, bool same) -> nb::object {
  const PrimKind kind = KindOfName(name);
  const auto left = ParseDataType(a_type);
  const auto right = ParseDataType(b_type);
  if (!left || !right || !arith::TypesMatch(*left, *right)) return nb::none();
  Context context;
  auto& terms = context.Part<Terms>();
  const auto a = TermOf(terms, "a", *left, a_literal);
  const auto b = same ? a : TermOf(terms, "b", *right, b_literal);
  if (!a || !b) return nb::none();
  return PlanOf(terms, arith::Operate(terms, kind, *a, *b), *a, *b);
}

}  // namespace

void AddScalars(nb::module_& m) {
  m.def("operate", &Operate, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace relayopt::python
