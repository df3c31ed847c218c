// The layout algebra: names, positions and shapes.
#include "relayopt/relay/ops/layout.h"

#include <catch2/catch.hpp>

namespace relayopt {
namespace {

auto Forward(Context& context, std::string_view from, std::string_view to, std::vector<Dim> shape) -> std::string {
  const auto source = Layout::Parse(from);
  const auto target = Layout::Parse(to);
  if (!source || !target || !source->ConvertibleTo(*target)) return "none";
  return ToString(source->ForwardShape(context, *target, shape));
}

TEST_CASE("layout names are parsed") {
  for (const std::string_view text : {"NCHW", "NCHW16c", "OIHW4i16o4i", "C", "1", "N5", "NCHW16"}) {
    INFO(text);
    REQUIRE(Layout::Parse(text).has_value());
    CHECK(Layout::Parse(text)->name() == text);
  }
  for (const std::string_view text : {"", "__undef__", "N16C", "NHWc", "NHW16c", "NCHW0c", "NNHW", "N-C"}) {
    INFO(text);
    CHECK_FALSE(Layout::Parse(text).has_value());
  }
  CHECK_FALSE(Layout::Parse("NC99999999999999999999c").has_value());
  CHECK_FALSE(Layout::Parse("NC9223372036854775807c2c").has_value());
  // Digits at the end name no axis.
  CHECK(Layout::Parse("1")->rank() == 0);
  CHECK(Layout::Parse("N5")->rank() == 1);
}

TEST_CASE("layouts know their axes") {
  const Layout layout = *Layout::Parse("OIHW4i16o4i");
  CHECK(layout.rank() == 7);
  CHECK(layout.primal_rank() == 4);
  CHECK(layout.Find('i') == 4);
  CHECK(layout.FactorOf('I') == 16);
  CHECK(layout.FactorOf('O') == 16);
  CHECK_FALSE(layout.FactorOf('H').has_value());
  CHECK_FALSE(layout.Contains('N'));
}

TEST_CASE("layouts are cut and expanded") {
  const Layout nchw = *Layout::Parse("NCHW");
  CHECK(nchw.Sub(1, 3)->name() == "CHW");
  CHECK(nchw.Sub(1, 9)->name() == "CHW");
  CHECK(nchw.Sub(4, 0)->name().empty());
  CHECK_FALSE(nchw.Sub(5, 0).has_value());
  CHECK_FALSE(Layout::Parse("NCHW16c")->Sub(2, 3).has_value());
  CHECK(Layout::Parse("C")->ExpandPrimal(nchw).name() == "NHWC");
  CHECK(Layout::Parse("C16c")->ExpandPrimal(*Layout::Parse("NCHW16c")).name() == "NHWC16c");
}

TEST_CASE("shapes move between layouts") {
  Context context;
  CHECK(Forward(context, "NCHW", "NHWC", {1, 2, 3, 4}) == "(1, 3, 4, 2)");
  CHECK(Forward(context, "NCHW", "NCHW16c", {1, 40, 3, 4}) == "(1, 3, 3, 4, 16)");
  CHECK(Forward(context, "NCHW16c", "NCHW8c", {1, 2, 3, 4, 16}) == "(1, 4, 3, 4, 8)");
  CHECK(Forward(context, "NCHW16c", "NCHW", {1, 2, 3, 4, 16}) == "(1, 32, 3, 4)");
  CHECK(Forward(context, "NCHW", "NCHW16c", {1, 64, Dim::Any(), 4}) == "(1, 4, ?, 4, 16)");
  // An unknown axis that is split the same way on both sides stays unknown.
  CHECK(Forward(context, "NCHW16c", "NHWC16c", {1, Dim::Any(), 3, 4, 16}) == "(1, 3, 4, ?, 16)");
  CHECK(Forward(context, "NCHW", "NCXW", {1, 2, 3, 4}) == "none");
  CHECK(Forward(context, "NCHW", "NCH", {1, 2, 3, 4}) == "none");
  CHECK(Forward(context, "NCHW16c", "NCHW", {1, INT64_MAX, 3, 4, 16}) == "(1, None, 3, 4)");
}

TEST_CASE("splitting an unknown merged axis again gives it back") {
  Context context;
  const Layout packed = *Layout::Parse("NC4c");
  const Layout plain = *Layout::Parse("NC");
  const std::vector<Dim> merged = packed.ForwardShape(context, plain, std::vector<Dim>{1, Dim::Any(), 4});
  CHECK(merged[1].is_expr());
  CHECK(ToString(plain.ForwardShape(context, packed, merged)) == "(1, ?, 4)");
}

TEST_CASE("layout conversion narrows extents to int32 where they fit") {
  Context context;
  const Layout layout = *Layout::Parse("NC");
  const std::vector<Dim> wide = {{7, 64}, {int64_t{1} << 40, 64}};
  const std::vector<Dim> shape = layout.ForwardShape(context, layout, wide);
  CHECK(shape[0].bits() == 32);
  CHECK(shape[1].bits() == 64);
}

}  // namespace
}  // namespace relayopt
