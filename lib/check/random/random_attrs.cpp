// Attributes are drawn by the names of their fields: an axis suits the rank, a kernel is small, a layout exists.
#include "random_attrs.h"

#include <algorithm>
#include <string>

namespace relayopt {

namespace {

// Number of values that a list of this name has for a tensor of `rank` axes.
auto ListSize(Random& random, std::string_view name, size_t rank) -> size_t {
  const size_t spatial = rank > 2 ? rank - 2 : 1;
  if (name == "padding") return random.Pick({spatial, 2 * spatial, size_t{1}});
  if (name == "strides" || name == "dilation" || name == "kernel_size" || name == "pool_size" ||
      name == "output_padding" || name == "output_size" || name == "size") {
    return name == "strides" && random.Chance(30) ? rank : spatial;
  }
  if (name == "axis") return random.Below(rank + 1);
  return random.Chance(80) ? rank : random.Below(rank + 2);
}

class AttrsGenerator {
 public:
  AttrsGenerator(Random& random, const Type& data) : random_(random), data_(data), rank_(data.shape.size()) {}

  void Fill(const FieldInfo& field, void* record) {
    switch (field.kind) {
      case FieldKind::kInt: field.Mutable<int64_t>(record) = Integer(field.name); return;
      case FieldKind::kBool: field.Mutable<bool>(record) = random_.Chance(50); return;
      case FieldKind::kDouble:
        field.Mutable<double>(record) = random_.Pick({0.0, 0.5, 1.0, 2.0, 1e-5, -1.0, 6.0});
        return;
      case FieldKind::kString: field.Mutable<std::string>(record) = Text(field.name); return;
      case FieldKind::kDataType: field.Mutable<DataType>(record) = ElementType(); return;
      case FieldKind::kDim:
        field.Mutable<Dim>(record) = random_.Chance(20) ? Dim::Null() : Dim(Integer(field.name));
        return;
      case FieldKind::kDimList: field.Mutable<DimList>(record) = List(field.name); return;
      case FieldKind::kDimLists: field.Mutable<DimLists>(record) = Lists(field.name); return;
      // Objects keep their default, because only the operator knows which objects are allowed.
      case FieldKind::kObject: return;
    }
  }

 private:
  auto Axis() -> int64_t {
    const auto rank = static_cast<int64_t>(rank_);
    return random_.Between(-rank, std::max<int64_t>(rank - 1, 0));
  }

  auto Integer(std::string_view name) -> int64_t {
    if (name.ends_with("axis") || name.starts_with("axis") || name == "batch_dims") return Axis();
    if (name == "groups") return random_.Pick<int64_t>({1, 1, 1, 2, 4});
    if (name == "channels" || name == "units") return random_.Pick<int64_t>({1, 2, 4, 8});
    if (name == "block_size") return 2;
    return random_.Pick<int64_t>({0, 1, 1, 1, 2, 3, -1});
  }

  auto Text(std::string_view name) -> std::string {
    if (name == "data_layout" || name == "layout" || name == "out_layout" || name == "src_layout" ||
        name == "dst_layout") {
      return random_.Pick({"NCHW", "NCHW", "NHWC", "NCHW4c", "NCW", "NCDHW"});
    }
    if (name == "kernel_layout") return random_.Pick({"OIHW", "OIHW", "HWIO", "OHWI", "OIW"});
    if (name == "mode") return random_.Pick({"clip", "wrap", "fast"});
    if (name == "pad_mode") return random_.Pick({"constant", "edge", "reflect"});
    if (name == "method") return random_.Pick({"nearest_neighbor", "linear", "cubic"});
    if (name == "coordinate_transformation_mode") return random_.Pick({"half_pixel", "align_corners", "asymmetric"});
    return "";
  }

  auto ElementType() -> DataType {
    return random_.Pick({DataType::Float(32), DataType::Float(32), DataType::Float(16), DataType::Int(32),
                         DataType::Int(64), DataType::Int(8), DataType::Bool(), DataType::Void()});
  }

  auto Element(std::string_view name) -> Dim {
    if (name.starts_with("ax")) return Axis();
    if (name == "kernel_size" || name == "pool_size" || name == "reps") return random_.Between(1, 3);
    if (name == "strides" || name == "dilation") return random_.Pick<int64_t>({1, 1, 2, 2, -1});
    if (name == "padding" || name == "begin") return random_.Pick<int64_t>({0, 0, 1, 1, 2, -1});
    if (name == "end") return random_.Pick<int64_t>({1, 2, 3, 4, 8, -1});
    if (name == "newshape") return random_.Pick<int64_t>({-1, 0, 1, 2, 3, 4, -2, -3});
    return random_.Between(1, 4);
  }

  auto List(std::string_view name) -> DimList {
    if (random_.Chance(15)) return DimList::Null();
    // A shape that fits, for the operators that reshape.
    if ((name == "newshape" || name == "shape") && random_.Chance(60)) return Reordered();
    if (name == "axes" && random_.Chance(50)) return Permutation();
    DimList list;
    for (size_t n = ListSize(random_, name, rank_); n != 0; --n) list.values.push_back(Element(name));
    return list;
  }

  auto Permutation() -> DimList {
    DimList list;
    for (size_t i = 0; i < rank_; ++i) list.values.emplace_back(static_cast<int64_t>(i));
    for (size_t i = rank_; i > 1; --i) std::swap(list.values[i - 1], list.values[random_.Below(i)]);
    return list;
  }

  // Returns the data's extents in another order, or in one axis.
  auto Reordered() -> DimList {
    if (random_.Chance(30)) return DimList{Dim(-1)};
    DimList list;
    for (const Dim& axis : Permutation()) {
      const Dim& extent = data_.shape[static_cast<size_t>(axis.value())];
      list.values.push_back(extent.is_int() ? Dim(extent.value()) : Dim(-1));
    }
    return list;
  }

  // Pairs for each axis, as `pad_width` has them.
  auto Lists(std::string_view name) -> DimLists {
    DimLists lists;
    for (size_t i = 0; i < rank_; ++i) {
      if (name == "newshape")
        lists.values.push_back(List(name));
      else
        lists.values.push_back(DimList{Dim(random_.Between(0, 2)), Dim(random_.Between(0, 2))});
    }
    return lists;
  }

  Random& random_;
  const Type& data_;
  size_t rank_;
};

}  // namespace

auto RandomAttrs(Random& random, Context& context, const OpDef& op, const Type& data) -> AttrsId {
  if (op.attrs == nullptr) return {};
  AttrsBuilder builder(*op.attrs);
  AttrsGenerator generator(random, data);
  for (const FieldInfo& field : op.attrs->fields) {
    if (field.required || random.Chance(45)) generator.Fill(field, builder.data());
  }
  return context.InternAttrs(std::move(builder));
}

}  // namespace relayopt
