// The members of the reference's classes that occur in metadata sections.
#include "metadata_classes.h"

namespace relayopt {

namespace {

constexpr auto Object(std::string_view name) -> ClassField { return {name, true, false}; }
constexpr auto Literal(std::string_view name) -> ClassField { return {name, false, false}; }
constexpr ClassField kSpan = {"span", true, true};
constexpr ClassField kDevice = {"virtual_device_", true, true};
constexpr ClassField kCheckedType = {"_checked_type_", true, true};
constexpr ClassField kDtype = {"dtype", false, false};

constexpr ClassField kConstantFields[] = {Literal("data"), kDevice, kSpan, kCheckedType};
constexpr ClassField kDeviceFields[] = {Literal("device_type_int"), Literal("virtual_device_id"), Object("target"),
                                        Object("memory_scope")};
constexpr ClassField kTensorTypeFields[] = {Object("shape"), kDtype, kSpan};
constexpr ClassField kTupleTypeFields[] = {Object("fields"), kSpan};
constexpr ClassField kFuncTypeFields[] = {Object("arg_types"), Object("ret_type"), Object("type_params"),
                                          Object("type_constraints"), kSpan};
constexpr ClassField kTypeVarFields[] = {Object("name_hint"), Literal("kind"), kSpan};
constexpr ClassField kGlobalTypeVarFields[] = {Object("name_hint"), Literal("kind")};
constexpr ClassField kTypeCallFields[] = {Object("func"), Object("args"), kSpan};
constexpr ClassField kRefTypeFields[] = {Object("value"), kSpan};
constexpr ClassField kIncompleteFields[] = {Literal("kind"), kSpan};
constexpr ClassField kDtypeFields[] = {kDtype};
constexpr ClassField kImmFields[] = {kDtype, Literal("value"), kSpan};
constexpr ClassField kDtypeSpanFields[] = {kDtype, kSpan};
constexpr ClassField kValueFields[] = {kDtype, Object("value"), kSpan};
constexpr ClassField kTirVarFields[] = {kDtype, Object("name"), Object("type_annotation"), kSpan};
constexpr ClassField kBinaryFields[] = {kDtype, Object("a"), Object("b"), kSpan};
constexpr ClassField kNotFields[] = {kDtype, Object("a"), kSpan};
constexpr ClassField kSelectFields[] = {kDtype, Object("condition"), Object("true_value"), Object("false_value"),
                                        kSpan};
constexpr ClassField kTirCallFields[] = {kDtype, Object("op"), Object("args"), kSpan};
constexpr ClassField kTirLetFields[] = {kDtype, Object("var"), Object("value"), Object("body"), kSpan};
constexpr ClassField kSpanFields[] = {Object("source_name"), Literal("line"), Literal("column"), Literal("end_line"),
                                      Literal("end_column")};
constexpr ClassField kSequentialSpanFields[] = {Object("source_name"), Literal("line"),       Literal("column"),
                                                Literal("end_line"),   Literal("end_column"), Object("spans")};
constexpr ClassField kGlobalVarFields[] = {Object("name_hint"), kDevice, kSpan, kCheckedType};
constexpr ClassField kIdFields[] = {Object("name_hint")};
constexpr ClassField kVarFields[] = {Object("vid"), Object("type_annotation"), kDevice, kSpan, kCheckedType};
constexpr ClassField kTupleFields[] = {Object("fields"), kDevice, kSpan, kCheckedType};
constexpr ClassField kGetItemFields[] = {Object("tuple_value"), Literal("index"), kDevice, kSpan, kCheckedType};
constexpr ClassField kCallFields[] = {Object("op"), Object("args"), Object("attrs"), Object("type_args"),
                                      kDevice,      kSpan,          kCheckedType};
constexpr ClassField kFunctionFields[] = {
    Object("params"), Object("body"), Object("ret_type"), Object("type_params"), Object("attrs"),
    kDevice,          kSpan,          kCheckedType};
constexpr ClassField kLetFields[] = {Object("var"), Object("value"), Object("body"), kDevice, kSpan, kCheckedType};
constexpr ClassField kIfFields[] = {Object("cond"), Object("true_branch"), Object("false_branch"), kDevice,
                                    kSpan,          kCheckedType};
constexpr ClassField kRefCreateFields[] = {Object("value"), kDevice, kSpan, kCheckedType};
constexpr ClassField kRefReadFields[] = {Object("ref"), kDevice, kSpan, kCheckedType};
constexpr ClassField kRefWriteFields[] = {Object("ref"), Object("value"), kDevice, kSpan, kCheckedType};
constexpr ClassField kMatchFields[] = {Object("data"), Object("clauses"), Literal("complete"), kDevice,
                                       kSpan,          kCheckedType};
constexpr ClassField kClauseFields[] = {Object("lhs"), Object("rhs")};
constexpr ClassField kWildcardFields[] = {kSpan};
constexpr ClassField kPatternVarFields[] = {Object("var"), kSpan};
constexpr ClassField kPatternConstructorFields[] = {Object("constructor"), Object("patterns"), kSpan};
constexpr ClassField kPatternTupleFields[] = {Object("patterns"), kSpan};
constexpr ClassField kConstructorFields[] = {
    Object("name_hint"), Object("inputs"), Object("belong_to"), Literal("tag"), kSpan, kCheckedType};
constexpr ClassField kTypeDataFields[] = {Object("header"), Object("type_vars"), Object("constructors"), kSpan};
constexpr ClassField kDictFields[] = {Object("__dict__")};
constexpr ClassField kTargetFields[] = {Object("kind"),  Object("tag"),      Object("keys"),
                                        Object("attrs"), Object("features"), Object("host")};
constexpr ClassField kTargetKindFields[] = {Object("name"), Literal("default_device_type"), Object("default_keys")};

struct Entry {
  std::string_view type_key;
  std::span<const ClassField> fields;
};

constexpr Entry kClasses[] = {
    {"DictAttrs", kDictFields},
    {"FloatImm", kImmFields},
    {"FuncType", kFuncTypeFields},
    {"GlobalTypeVar", kGlobalTypeVarFields},
    {"GlobalVar", kGlobalVarFields},
    {"IncompleteType", kIncompleteFields},
    {"IntImm", kImmFields},
    {"PrimType", kDtypeFields},
    {"SequentialSpan", kSequentialSpanFields},
    {"Span", kSpanFields},
    {"Target", kTargetFields},
    {"TargetKind", kTargetKindFields},
    {"TupleType", kTupleTypeFields},
    {"TypeCall", kTypeCallFields},
    {"TypeVar", kTypeVarFields},
    {"VirtualDevice", kDeviceFields},
    {"relay.Call", kCallFields},
    {"relay.Clause", kClauseFields},
    {"relay.Constant", kConstantFields},
    {"relay.Constructor", kConstructorFields},
    {"relay.Function", kFunctionFields},
    {"relay.Id", kIdFields},
    {"relay.If", kIfFields},
    {"relay.Let", kLetFields},
    {"relay.Match", kMatchFields},
    {"relay.PatternConstructor", kPatternConstructorFields},
    {"relay.PatternTuple", kPatternTupleFields},
    {"relay.PatternVar", kPatternVarFields},
    {"relay.PatternWildcard", kWildcardFields},
    {"relay.RefCreate", kRefCreateFields},
    {"relay.RefRead", kRefReadFields},
    {"relay.RefType", kRefTypeFields},
    {"relay.RefWrite", kRefWriteFields},
    {"relay.TensorType", kTensorTypeFields},
    {"relay.Tuple", kTupleFields},
    {"relay.TupleGetItem", kGetItemFields},
    {"relay.TypeData", kTypeDataFields},
    {"relay.Var", kVarFields},
    {"tir.Add", kBinaryFields},
    {"tir.And", kBinaryFields},
    {"tir.Any", kDtypeSpanFields},
    {"tir.Call", kTirCallFields},
    {"tir.Cast", kValueFields},
    {"tir.Div", kBinaryFields},
    {"tir.EQ", kBinaryFields},
    {"tir.FloorDiv", kBinaryFields},
    {"tir.FloorMod", kBinaryFields},
    {"tir.GE", kBinaryFields},
    {"tir.GT", kBinaryFields},
    {"tir.LE", kBinaryFields},
    {"tir.LT", kBinaryFields},
    {"tir.Let", kTirLetFields},
    {"tir.Max", kBinaryFields},
    {"tir.Min", kBinaryFields},
    {"tir.Mod", kBinaryFields},
    {"tir.Mul", kBinaryFields},
    {"tir.NE", kBinaryFields},
    {"tir.Not", kNotFields},
    {"tir.Or", kBinaryFields},
    {"tir.Select", kSelectFields},
    {"tir.SizeVar", kTirVarFields},
    {"tir.StringImm", kValueFields},
    {"tir.Sub", kBinaryFields},
    {"tir.Var", kTirVarFields},
};

}  // namespace

auto FindClass(std::string_view type_key) -> ClassInfo {
  for (const Entry& entry : kClasses) {
    if (entry.type_key == type_key) return {true, entry.fields};
  }
  return {};
}

}  // namespace relayopt
