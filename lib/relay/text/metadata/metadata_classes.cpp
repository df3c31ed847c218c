// The fields of TVM's classes that occur in metadata sections and in graph JSON.
#include "metadata_classes.h"

namespace relayopt {

namespace {

constexpr auto Link(std::string_view name) -> ClassField { return {name, true, false}; }
constexpr auto Value(std::string_view name) -> ClassField { return {name, false, false}; }
constexpr ClassField kSpan = {"span", true, true};
constexpr ClassField kDevice = {"virtual_device_", true, true};
constexpr ClassField kCheckedType = {"_checked_type_", true, true};
constexpr ClassField kDtype = {"dtype", false, false};

constexpr ClassField kConstantFields[] = {Value("data"), kDevice, kSpan, kCheckedType};
constexpr ClassField kDeviceFields[] = {Value("device_type_int"), Value("virtual_device_id"), Link("target"),
                                        Link("memory_scope")};
constexpr ClassField kTensorTypeFields[] = {Link("shape"), kDtype, kSpan};
constexpr ClassField kTupleTypeFields[] = {Link("fields"), kSpan};
constexpr ClassField kFuncTypeFields[] = {Link("arg_types"), Link("ret_type"), Link("type_params"),
                                          Link("type_constraints"), kSpan};
constexpr ClassField kTypeVarFields[] = {Link("name_hint"), Value("kind"), kSpan};
constexpr ClassField kGlobalTypeVarFields[] = {Link("name_hint"), Value("kind")};
constexpr ClassField kTypeCallFields[] = {Link("func"), Link("args"), kSpan};
constexpr ClassField kRefTypeFields[] = {Link("value"), kSpan};
constexpr ClassField kIncompleteFields[] = {Value("kind"), kSpan};
constexpr ClassField kDtypeFields[] = {kDtype};
constexpr ClassField kImmFields[] = {kDtype, Value("value"), kSpan};
constexpr ClassField kDtypeSpanFields[] = {kDtype, kSpan};
constexpr ClassField kValueFields[] = {kDtype, Link("value"), kSpan};
constexpr ClassField kTirVarFields[] = {kDtype, Link("name"), Link("type_annotation"), kSpan};
constexpr ClassField kBinaryFields[] = {kDtype, Link("a"), Link("b"), kSpan};
constexpr ClassField kNotFields[] = {kDtype, Link("a"), kSpan};
constexpr ClassField kSelectFields[] = {kDtype, Link("condition"), Link("true_value"), Link("false_value"), kSpan};
constexpr ClassField kTirCallFields[] = {kDtype, Link("op"), Link("args"), kSpan};
constexpr ClassField kTirLetFields[] = {kDtype, Link("var"), Link("value"), Link("body"), kSpan};
constexpr ClassField kSpanFields[] = {Link("source_name"), Value("line"), Value("column"), Value("end_line"),
                                      Value("end_column")};
constexpr ClassField kSequentialSpanFields[] = {Link("source_name"), Value("line"),       Value("column"),
                                                Value("end_line"),   Value("end_column"), Link("spans")};
constexpr ClassField kGlobalVarFields[] = {Link("name_hint"), kDevice, kSpan, kCheckedType};
constexpr ClassField kIdFields[] = {Link("name_hint")};
constexpr ClassField kVarFields[] = {Link("vid"), Link("type_annotation"), kDevice, kSpan, kCheckedType};
constexpr ClassField kTupleFields[] = {Link("fields"), kDevice, kSpan, kCheckedType};
constexpr ClassField kGetItemFields[] = {Link("tuple_value"), Value("index"), kDevice, kSpan, kCheckedType};
constexpr ClassField kCallFields[] = {Link("op"), Link("args"), Link("attrs"), Link("type_args"),
                                      kDevice,    kSpan,        kCheckedType};
constexpr ClassField kFunctionFields[] = {
    Link("params"), Link("body"), Link("ret_type"), Link("type_params"), Link("attrs"), kDevice, kSpan, kCheckedType};
constexpr ClassField kLetFields[] = {Link("var"), Link("value"), Link("body"), kDevice, kSpan, kCheckedType};
constexpr ClassField kIfFields[] = {Link("cond"), Link("true_branch"), Link("false_branch"), kDevice,
                                    kSpan,        kCheckedType};
constexpr ClassField kRefCreateFields[] = {Link("value"), kDevice, kSpan, kCheckedType};
constexpr ClassField kRefReadFields[] = {Link("ref"), kDevice, kSpan, kCheckedType};
constexpr ClassField kRefWriteFields[] = {Link("ref"), Link("value"), kDevice, kSpan, kCheckedType};
constexpr ClassField kMatchFields[] = {Link("data"), Link("clauses"), Value("complete"), kDevice, kSpan, kCheckedType};
constexpr ClassField kClauseFields[] = {Link("lhs"), Link("rhs")};
constexpr ClassField kWildcardFields[] = {kSpan};
constexpr ClassField kPatternVarFields[] = {Link("var"), kSpan};
constexpr ClassField kPatternConstructorFields[] = {Link("constructor"), Link("patterns"), kSpan};
constexpr ClassField kPatternTupleFields[] = {Link("patterns"), kSpan};
constexpr ClassField kConstructorFields[] = {Link("name_hint"), Link("inputs"), Link("belong_to"),
                                             Value("tag"),      kSpan,          kCheckedType};
constexpr ClassField kTypeDataFields[] = {Link("header"), Link("type_vars"), Link("constructors"), kSpan};
constexpr ClassField kDictFields[] = {Link("__dict__")};
constexpr ClassField kTargetFields[] = {Link("kind"),  Link("tag"),      Link("keys"),
                                        Link("attrs"), Link("features"), Link("host")};
constexpr ClassField kTargetKindFields[] = {Link("name"), Value("default_device_type"), Link("default_keys")};

constexpr auto Maybe(std::string_view name) -> ClassField { return {name, true, true}; }
constexpr ClassField kModuleFields[] = {Link("functions"),        Link("type_definitions"),
                                        Maybe("global_var_map_"), Maybe("global_type_var_map_"),
                                        Maybe("source_map"),      Maybe("attrs")};
constexpr ClassField kSourceMapFields[] = {Link("source_map")};
constexpr ClassField kSourceFields[] = {Link("source_name"), Link("source")};

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
    {"IRModule", kModuleFields},
    {"IncompleteType", kIncompleteFields},
    {"IntImm", kImmFields},
    {"PrimType", kDtypeFields},
    {"SequentialSpan", kSequentialSpanFields},
    {"Source", kSourceFields},
    {"SourceMap", kSourceMapFields},
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
