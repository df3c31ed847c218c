// Finds type arguments by unification of the signature with the types of a call.
#include "type_arguments.h"

#include "relayopt/relay/types/substitution.h"
#include "relayopt/relay/types/unifier.h"

namespace relayopt {

auto TypeArguments(const Function& function, ExprId literal, std::span<const TypeId> args, TypeId result,
                   const std::function<TypeId(TypeId)>& outer) -> std::vector<TypeId> {
  Context& types = function.context();
  const std::vector<TypeId>& params = function.info(literal).type_params;
  Unifier unifier(types);
  std::vector<TypeId> found;
  found.reserve(params.size());
  for (size_t i = 0; i < params.size(); ++i) found.push_back(unifier.Fresh());
  const Substitution instance(types, params, found);
  const auto unify = [&](TypeId declared, TypeId actual) {
    if (!declared || !actual) return true;
    const Type& term = types.type(actual);
    if (term.is_function() && !term.type_params.empty()) {
      // A generic function is passed for one of its instances.
      std::vector<TypeId> own;
      own.reserve(term.type_params.size());
      for (size_t i = 0; i < term.type_params.size(); ++i) own.push_back(unifier.Fresh());
      actual = Substitute(types, types.FunctionType(term.args, term.result), term.type_params, own);
    }
    return unifier.Unify(outer(instance(declared)), actual).has_value();
  };
  bool fits = unify(function.info(literal).result, result);
  const auto declared = function.params(literal);
  for (size_t i = 0; fits && i < declared.size() && i < args.size(); ++i) {
    fits = unify(function.var(declared[i]).annotation, args[i]);
  }
  if (!fits) return {};
  for (TypeId& type : found) type = unifier.Resolve(type);
  return found;
}

}  // namespace relayopt
