// Blocks: axes, regions, predicates.
#include "lib/tir/script/catalogue.h"

namespace relayopt::tir::catalogue {

namespace {

auto BlockOf(Reader& r, CallArgs& args) -> Value {
  Frame frame;
  frame.kind = FrameKind::kBlock;
  frame.range = args.range;
  frame.block = std::make_unique<OpenBlock>();
  frame.block->info.name = r.Text("");
  if (args.has(0)) {
    const auto name = r.ToText(args[0]);
    if (!name) return Value::Error();
    frame.block->info.name = *name;
  }
  if (args.has(1)) frame.block->no_realize = args[1].integer != 0;
  return r.Pending(std::move(frame));
}

auto Init(Reader& r, CallArgs& args) -> Value {
  const OpenBlock* block = r.BlockAbove("T.init", args.range);
  if (block == nullptr) return Value::Error();
  if (block->init) return r.Error(diag::kTwice, args.range, "block init declaration");
  Frame frame;
  frame.kind = FrameKind::kInit;
  frame.range = args.range;
  return r.Pending(std::move(frame));
}

auto Where(Reader& r, CallArgs& args) -> Value {
  OpenBlock* block = r.BlockAbove("T.where", args.range);
  if (block == nullptr) return Value::Error();
  if (block->predicate) return r.Error(diag::kTwice, args.range, "block predicate declaration");
  if (block->no_realize) return r.Error(diag::kPlace, args.range, "T.where", "a block that is realized");
  const Value& test = args[0];
  PrimExpr predicate = test.is(ValueKind::kInt) ? r.terms().Bool(test.integer != 0) : r.ToBool(test);
  if (!predicate) return Value::Error();
  if (!arith::IsBool(r.terms().dtype(predicate))) {
    return r.Error(diag::kTypeOf, test.range, "a predicate", "bool", r.DTypeText(predicate));
  }
  block->predicate = predicate;
  return {};
}

auto Regions(Reader& r, CallArgs& args, bool reads) -> Value {
  OpenBlock* block = r.BlockAbove(reads ? "T.reads" : "T.writes", args.range);
  if (block == nullptr) return Value::Error();
  bool& has = reads ? block->has_reads : block->has_writes;
  if (has) return r.Error(diag::kTwice, args.range, reads ? "read region declaration" : "write region declaration");
  has = true;
  std::vector<BlockRegion>& regions = reads ? block->info.reads : block->info.writes;
  OpenBlock::ExprList& bounds = reads ? block->read_bounds : block->write_bounds;
  std::span<const Value> all = args.rest;
  if (all.size() == 1 && all[0].is_sequence()) all = r.elements(all[0]);
  regions.reserve(all.size());
  for (const Value& value : all) {
    const auto region = r.ToRegion(value);
    if (!region) return Value::Error();
    regions.push_back(
        {region->buffer, static_cast<uint32_t>(bounds.size()), static_cast<uint32_t>(region->bounds.size() / 2)});
    bounds.insert(bounds.end(), region->bounds.begin(), region->bounds.end());
  }
  return {};
}

auto Reads(Reader& r, CallArgs& args) -> Value { return Regions(r, args, true); }
auto Writes(Reader& r, CallArgs& args) -> Value { return Regions(r, args, false); }

auto BlockAttr(Reader& r, CallArgs& args) -> Value {
  OpenBlock* block = r.BlockAbove("T.block_attr", args.range);
  if (block == nullptr) return Value::Error();
  if (block->has_attrs) return r.Error(diag::kTwice, args.range, "block annotations");
  const auto made = r.ToAnnotations(args[0]);
  if (!made) return Value::Error();
  block->has_attrs = true;
  block->info.annotations = *made;
  return {};
}

// Axes.

// Adds an axis to the innermost block and answers its variable.
auto AddAxis(Reader& r, OpenBlock& block, IterType type, PrimExpr min, PrimExpr extent, PrimExpr value, DataType dtype,
             SourceRange range) -> Value {
  const PrimExpr var = r.terms().Var("", dtype);
  block.info.axes.push_back({var, type, r.Text("")});
  block.axis_domains.push_back(min);
  block.axis_domains.push_back(extent);
  if (value) {
    const DataType given = r.terms().dtype(value);
    if (!arith::IsInteger(given)) return r.Error(diag::kBlockBinding, range, Reader::TypeText(given));
    block.values.push_back(value);
  }
  return Value::Expr(var);
}

auto Axis(Reader& r, CallArgs& args, IterType type) -> Value {
  OpenBlock* block = r.BlockFrame("T.axis", args.range);
  if (block == nullptr) return Value::Error();
  Terms& terms = r.terms();
  PrimExpr min;
  PrimExpr extent;
  const Value& domain = args[0];
  if (domain.is(ValueKind::kRange)) {
    min = r.elements(domain)[0].expr();
    extent = r.elements(domain)[1].expr();
  } else if (domain.is_sequence() && domain.size == 2) {
    min = r.ToExpr(r.elements(domain)[0]);
    const PrimExpr stop = min ? r.ToExpr(r.elements(domain)[1]) : PrimExpr();
    extent = stop ? r.Difference(stop, min, args.range) : PrimExpr();
  } else {
    extent = r.ToExpr(domain);
    if (extent && !arith::IsInteger(terms.dtype(extent))) {
      return r.Error(diag::kTypeOf, args.range, "an extent", "an integer", r.DTypeText(extent));
    }
    min = extent ? terms.IntImm(arith::ElementOf(terms.dtype(extent)), 0) : PrimExpr();
  }
  if (extent && !(r.IsExtent(min, args.range) && r.IsExtent(extent, args.range))) return Value::Error();
  PrimExpr value;
  if (extent && args.has(1)) {
    value = r.ToExpr(args[1]);
    if (!value) return Value::Error();
  }
  if (!extent) return Value::Error();
  if (block->no_realize && value)
    return r.Error(diag::kPlace, args.range, "a binding of an axis", "a block that is realized");
  if (!block->no_realize && !value)
    return r.Error(diag::kArguments, args.range, "T.axis", "needs the argument binding");
  DataType dtype = DataType::Int(32);
  if (args.has(2)) {
    const auto given = r.ToDType(args[2]);
    if (!given) return Value::Error();
    dtype = *given;
  }
  if (!arith::IsInteger(dtype) || dtype.lanes != 1) {
    return r.Error(diag::kTypeOf, args.range, "an axis", "an integer", Reader::TypeText(dtype));
  }
  dtype.bits = std::max({dtype.bits, terms.dtype(min).bits, terms.dtype(extent).bits});
  for (PrimExpr* e : {&min, &extent}) {
    const auto literal = terms.AsInt(*e);
    if (!literal) continue;
    if (!arith::FitsType(dtype, *literal)) {
      return r.Error(diag::kLiteralRange, args.range, *literal, Reader::TypeText(dtype));
    }
    *e = terms.IntImm(dtype, *literal);
  }
  if (terms.dtype(extent) != dtype)
    return r.Error(diag::kTypes, args.range, r.DTypeText(extent), Reader::TypeText(dtype));
  return AddAxis(r, *block, type, min, extent, value, dtype, args.range);
}

auto Spatial(Reader& r, CallArgs& args) -> Value { return Axis(r, args, IterType::kDataPar); }
auto Reduce(Reader& r, CallArgs& args) -> Value { return Axis(r, args, IterType::kCommReduce); }
auto Scan(Reader& r, CallArgs& args) -> Value { return Axis(r, args, IterType::kOrdered); }
auto Opaque(Reader& r, CallArgs& args) -> Value { return Axis(r, args, IterType::kOpaque); }

auto Remap(Reader& r, CallArgs& args) -> Value {
  OpenBlock* block = r.BlockFrame("T.axis", args.range);
  const auto kinds = block != nullptr ? r.ToText(args[0]) : std::nullopt;
  if (!kinds) return Value::Error();
  const std::string_view text = r.context().text(*kinds);
  const ValueList bindings = r.ListOf(args[1]);
  if (text.size() != bindings.size()) return r.Error(diag::kUnpack, args.range, bindings.size(), text.size());
  // Of loops over one variable the outermost counts.
  absl::flat_hash_map<PrimExpr, const LoopSpec*> loops;
  for (const Frame& frame : r.frames()) {
    for (const LoopSpec& loop : frame.loops) loops.try_emplace(loop.var, &loop);
  }
  ValueList vars;
  block->info.axes.reserve(bindings.size());
  for (size_t i = 0; i < bindings.size(); ++i) {
    const PrimExpr value = r.ToExpr(bindings[i]);
    if (!value) return Value::Error();
    if (!r.terms().is_var(value)) {
      return r.Error(diag::kRemap, bindings[i].range, "TypeError: Only Var is supported in T.axis.remap");
    }
    const auto found = loops.find(value);
    if (found == loops.end()) {
      return r.Error(
          diag::kRemap, bindings[i].range,
          "TypeError: Variable is not in the loop: " + std::string(r.context().text(r.terms().var(value).name)));
    }
    if (text[i] != 'S' && text[i] != 'R') {
      return r.Error(diag::kRemap, args[0].range, "Unknown axis kind: " + std::string(1, text[i]));
    }
    const LoopSpec* loop = found->second;
    const IterType type = text[i] == 'S' ? IterType::kDataPar : IterType::kCommReduce;
    const Value made = AddAxis(r, *block, type, loop->min, loop->extent, value, r.terms().dtype(loop->var), args.range);
    if (made.is_error()) return made;
    vars.push_back(made);
  }
  return vars.size() == 1 ? vars[0] : r.Sequence(ValueKind::kList, vars);
}

const Builtin kBlockRows[] = {
    {"block", {"name", "no_realize"}, 0, false, BlockOf},
    {"sblock", {"name", "no_realize"}, 0, false, BlockOf},
    {"init", {}, 0, false, Init},
    {"where", {"predicate"}, 1, false, Where},
    {"reads", {}, 0, true, Reads},
    {"writes", {}, 0, true, Writes},
    {"block_attr", {"attrs"}, 1, false, BlockAttr},
    {"sblock_attr", {"attrs"}, 1, false, BlockAttr},
};

const Builtin kAxisRows[] = {
    {"spatial", {"dom", "binding", "dtype"}, 1, false, Spatial},
    {"S", {"dom", "binding", "dtype"}, 1, false, Spatial},
    {"reduce", {"dom", "binding", "dtype"}, 1, false, Reduce},
    {"R", {"dom", "binding", "dtype"}, 1, false, Reduce},
    {"scan", {"dom", "binding", "dtype"}, 1, false, Scan},
    {"opaque", {"dom", "binding", "dtype"}, 1, false, Opaque},
    {"remap", {"kinds", "bindings", "dtype"}, 2, false, Remap},
};

}  // namespace

auto Blocks() -> std::span<const Builtin> { return kBlockRows; }
auto Axes() -> std::span<const Builtin> { return kAxisRows; }

}  // namespace relayopt::tir::catalogue
