// Builds addresses of elements.
#include "lib/tir/transforms/utils/address_of.h"

#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

auto AddressOf(Tables& tables, PrimExpr data, DataType dtype, PrimExpr offset) -> PrimExpr {
  Terms& terms = tables.terms();
  PrimExpr extent = arith::Add(terms, offset, terms.IntImm(terms.dtype(offset), 1));
  if (dtype.lanes != 1) {
    const PrimExpr first = arith::Mul(terms, offset, terms.IntImm(terms.dtype(offset), dtype.lanes));
    extent = arith::Add(terms, first, terms.IntImm(terms.dtype(offset), dtype.lanes));
    offset = terms.Ramp(first, terms.IntImm(terms.dtype(offset), 1), dtype.lanes);
  }
  const BufferId buffer = tables.Add(Buffer{.data = data,
                                            .dtype = arith::ElementOf(dtype),
                                            .name = terms.var(data).name,
                                            .shape = {extent},
                                            .elem_offset = terms.Int32(0)});
  const PrimExpr load = terms.BufferLoad(buffer, {&offset, 1}, dtype);
  return terms.Call(arith::kHandleType, terms.Intrinsic("tir.address_of"_intrin), {load});
}

auto HandleOf(Terms& terms, uint64_t address) -> PrimExpr {
  const PrimExpr literal = terms.IntImm(DataType::UInt(64), static_cast<int64_t>(address));
  return terms.Call(arith::kHandleType, terms.Intrinsic("tir.reinterpret"_intrin), {literal});
}

auto NullHandle(Terms& terms) -> PrimExpr { return HandleOf(terms, 0); }

}  // namespace relayopt::tir
