// The parts of an analyzer, which query each other.
#pragma once

#include "lib/arith/canonical.h"
#include "lib/arith/const_bounds.h"
#include "lib/arith/int_sets.h"
#include "lib/arith/modular_sets.h"
#include "lib/arith/rewrite.h"
#include "lib/arith/transitive.h"
#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

struct Analyzer::Parts {
  Parts(Terms& t, Analyzer& analyzer, AnalyzerOptions options)
      : terms(t),
        bounds(t),
        modular(t, analyzer),
        rewrite(t, analyzer),
        canonical(t, analyzer),
        transitive(t),
        sets(t, analyzer) {
    rewrite.strict_fp = options.strict_fp;
    canonical.strict_fp = options.strict_fp;
  }

  // Whether something may be remembered that depends on what is known of the variable.
  auto HasSeen(PrimExpr var) const -> bool {
    return bounds.HasSeen(var) || modular.HasSeen(var) || rewrite.HasSeen(var) || canonical.HasSeen(var) ||
           bindings.contains(var);
  }

  Terms& terms;
  ConstBounds bounds;
  ModularSets modular;
  RewriteSimplifier rewrite;
  CanonicalSimplifier canonical;
  TransitiveComparisons transitive;
  IntSets sets;
  // The ranges that variables are bound to; a value is a range without an extent.
  absl::flat_hash_map<PrimExpr, Range> bindings;
};

}  // namespace relayopt::arith
