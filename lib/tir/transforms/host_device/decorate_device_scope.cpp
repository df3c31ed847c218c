// DecorateDeviceScope: the body of every function in an attribute that says that it runs on the device.
//
//   A[0] = 1    ->    T.attr(0, "device_scope", 0)
//                     A[0] = 1
#include "lib/tir/transforms/passes.h"

namespace relayopt::tir {

namespace {

struct DecorateDeviceScope {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    StmtBuilder builder(func.context());
    const PrimExpr zero = func.terms().Int32(0);
    const StmtId body = builder.CopyTree(func.body());
    return std::optional(PrimFunc(func.info(), builder.Finish(builder.Attr(zero, "device_scope", zero, body))));
  }
};

}  // namespace

constinit const PassDef kDecorateDeviceScopePass = DescribePass<DecorateDeviceScope>({
    .name = "tir.DecorateDeviceScope",
    .summary = "Mark the body of every function as device code",
    .details = R"(  A[0] = 1    ->    T.attr(0, "device_scope", 0)
                    A[0] = 1

A second run adds a second attribute.)",
    .aliases = "tir.transform.DecorateDeviceScope",
});

}  // namespace relayopt::tir
