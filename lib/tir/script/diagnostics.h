// Everything that reading TVMScript can complain about.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::tir::diag {

// Lexis and grammar.
inline constexpr DiagnosticKind kUnknownCharacter{"script-character", Severity::kError,
                                                  "no token of TVMScript begins with '{}'"};
inline constexpr DiagnosticKind kUnclosedString{"script-string", Severity::kError, "this string is never closed"};
inline constexpr DiagnosticKind kNotUtf8{"script-utf-8", Severity::kError,
                                         "byte 0x{:02X} is not part of a character in UTF-8"};
inline constexpr DiagnosticKind kBadEscape{"script-escape", Severity::kError, "malformed escape in a string"};
inline constexpr DiagnosticKind kUnclosedBracket{"script-bracket", Severity::kError, "this bracket is never closed"};
inline constexpr DiagnosticKind kIndentation{"script-indentation", Severity::kError,
                                             "this indentation belongs to no enclosing block"};
inline constexpr DiagnosticKind kExpected{"script-expected", Severity::kError, "expected {}, found {}"};
inline constexpr DiagnosticKind kNumber{"script-number", Severity::kError, "malformed number '{}'"};
inline constexpr DiagnosticKind kIntegerRange{"script-integer-range", Severity::kError,
                                              "integer {} does not fit 64 bits"};
inline constexpr DiagnosticKind kRelax{
    "relax-not-read", Severity::kError,
    "this is a function of Relax, which relayopt writes and does not read; it reads tensor programs (@T.prim_func)"};
inline constexpr DiagnosticKind kNeedsPython{"needs-python", Severity::kError, "this needs a Python interpreter: {}"};
inline constexpr DiagnosticKind kTooManyErrors{"script-too-many-errors", Severity::kNote,
                                               "{} more errors are not shown"};

// Modules and functions.
inline constexpr DiagnosticKind kDecorator{"script-decorator", Severity::kError,
                                           "expected @I.ir_module or @T.prim_func, found {}"};
inline constexpr DiagnosticKind kDuplicateFunction{"script-duplicate-function", Severity::kError,
                                                   "function {} already exists"};
inline constexpr DiagnosticKind kParameterType{"script-parameter-type", Severity::kError,
                                               "Type annotation required for function parameters."};
inline constexpr DiagnosticKind kAnnotation{"script-annotation", Severity::kError, "Annotation should be Var"};
inline constexpr DiagnosticKind kPrivateSymbol{
    "script-private-symbol", Severity::kError,
    "Specifying the global symbol even though the PrimFunc is annotated as private"};
inline constexpr DiagnosticKind kReturn{"script-return", Severity::kError, "Return is not allowed."};

// Names.
inline constexpr DiagnosticKind kUndefined{"script-undefined", Severity::kError, "Undefined variable: {}{}"};
inline constexpr DiagnosticKind kNoAttribute{"script-attribute", Severity::kError, "{} has no attribute '{}'{}"};
inline constexpr DiagnosticKind kNoFunction{"script-no-function", Severity::kError,
                                            "Cannot find the function `{}` in the current IRModule"};
inline constexpr DiagnosticKind kRedefined{"script-redefined", Severity::kError,
                                           "Variable {} already defined in current scope"};
inline constexpr DiagnosticKind kDuplicateTarget{"script-duplicate-target", Severity::kError,
                                                 "Duplicate vars assigned."};
inline constexpr DiagnosticKind kConsequential{"script-consequential", Severity::kError,
                                               "Consequential assignments like 'a = b = c' are not supported."};
inline constexpr DiagnosticKind kUnpack{"script-unpack", Severity::kError, "cannot unpack {} values into {} names"};
inline constexpr DiagnosticKind kBinding{"script-binding", Severity::kError, "Do not know how to bind type: {} in {}"};

// Values.
inline constexpr DiagnosticKind kNotAnExpression{"script-not-an-expression", Severity::kError,
                                                 "Expected type PrimExpr but got {}"};
inline constexpr DiagnosticKind kWrongValue{"script-wrong-value", Severity::kError, "expected {}, found {}"};
inline constexpr DiagnosticKind kNotATarget{"script-no-target", Severity::kError, "{}"};
inline constexpr DiagnosticKind kCannotCall{"script-cannot-call", Severity::kError, "{} cannot be called"};
inline constexpr DiagnosticKind kCannotIndex{"script-cannot-index", Severity::kError, "{} has no elements"};
inline constexpr DiagnosticKind kElementIndex{"script-element-index", Severity::kError, "there is no element {} of {}"};
inline constexpr DiagnosticKind kArguments{"script-arguments", Severity::kError, "{} {}"};
inline constexpr DiagnosticKind kOperands{"script-operands", Severity::kError, "unsupported operands of {}: {} and {}"};
inline constexpr DiagnosticKind kUnknownDType{"script-dtype", Severity::kError, "unknown type {}"};
inline constexpr DiagnosticKind kTypes{"script-types", Severity::kError, "TypeError: mismatched types. {} vs. {}"};
inline constexpr DiagnosticKind kCannotMatch{"script-match-types", Severity::kError, "Cannot match type {} vs {}"};
inline constexpr DiagnosticKind kTypeOf{"script-type-of", Severity::kError, "{} must be {}, but is {}"};
inline constexpr DiagnosticKind kIntegerDivision{
    "script-integer-division", Severity::kError,
    "TVM supports multiple types of integer divisions, please call div, indexdiv/indexmod, floordiv/floormod  or "
    "truncdiv/truncmod directly to avoid ambiguity in the code."};
inline constexpr DiagnosticKind kDivideByZero{"script-divide-by-zero", Severity::kError, "Divide by zero"};
inline constexpr DiagnosticKind kUnknownOperator{"script-unknown-operator", Severity::kError,
                                                 "AttributeError: Operator {} is not registered"};
inline constexpr DiagnosticKind kLiteralRange{"script-literal-range", Severity::kError,
                                              "ValueError: Literal value {} does not fit {}"};
inline constexpr DiagnosticKind kDimensions{
    "script-dimensions", Severity::kError,
    "Buffer {} is {}-dimensional, cannot be indexed with the {}-dimensional indices provided."};
inline constexpr DiagnosticKind kVectorIndex{"script-vector-index", Severity::kError,
                                             "only the last index of a buffer may be a vector"};
inline constexpr DiagnosticKind kNesting{"script-nesting", Severity::kError,
                                         "the lists and dicts of an attribute have more than {} levels"};
inline constexpr DiagnosticKind kSpread{"script-spread", Severity::kError,
                                        "stars give more than {} elements altogether"};
inline constexpr DiagnosticKind kSliceLength{"script-slice-length", Severity::kError,
                                             "the number of elements of a slice must be a literal from 1 to 65535"};
inline constexpr DiagnosticKind kStoreTypes{
    "script-store-types", Severity::kError,
    "TypeError: Incompatible types in BufferStore: LHS is '{}', RHS is '{}', indexing lanes: {}"};
inline constexpr DiagnosticKind kUnknownIntrinsicType{
    "script-intrinsic-type", Severity::kWarning, "the text of T.{} does not say its type: it is taken to be handle"};

// Statements.
inline constexpr DiagnosticKind kForLoop{"script-for", Severity::kError,
                                         "Expect the for loop to be one of the following: range, T.serial, T.grid, "
                                         "T.parallel, T.vectorized, T.unroll, T.thread_binding"};
inline constexpr DiagnosticKind kWith{"script-with", Severity::kError,
                                      "Invalid context expression in the with-statement."};
inline constexpr DiagnosticKind kUnexpectedType{"script-unexpected-type", Severity::kError,
                                                "Parsing resulted in unexpected type {}"};
inline constexpr DiagnosticKind kTrivialWhile{"script-while", Severity::kError, "The condition should not be trivial."};
inline constexpr DiagnosticKind kPlace{"script-place", Severity::kError,
                                       "ValueError: {} must be called at the top of {}"};
inline constexpr DiagnosticKind kTwice{"script-twice", Severity::kError, "ValueError: Duplicate {}"};
inline constexpr DiagnosticKind kMatchBufferParam{"script-match-buffer", Severity::kError,
                                                  "ValueError: Can not bind non-input param to buffer."};
inline constexpr DiagnosticKind kParameterBuffer{"script-parameter-buffer", Severity::kError,
                                                 "no buffer can be bound to this parameter, which {}"};
inline constexpr DiagnosticKind kMatchBufferShape{"script-match-buffer-shape", Severity::kError,
                                                  "Shape must be specified when binding input param"};
inline constexpr DiagnosticKind kRegionMatch{"script-region-match", Severity::kError,
                                             "a buffer cannot be matched with this region: {}"};
inline constexpr DiagnosticKind kRemap{"script-remap", Severity::kError, "{}"};
inline constexpr DiagnosticKind kNotAThread{"script-not-a-thread", Severity::kError,
                                            "ValueError: {} is not an env_thread created using T.env_thread."};
inline constexpr DiagnosticKind kThreadExtents{"script-thread-extents", Severity::kError,
                                               "ValueError: Inconsistent extents of environment thread."};
inline constexpr DiagnosticKind kBlockBinding{"script-block-binding", Severity::kError,
                                              "BlockRealize iter_value expected a IntImm, but got {}"};
inline constexpr DiagnosticKind kNoRegions{
    "script-no-regions", Severity::kError,
    "Can not auto detect buffer access region from direct access by buffer data. Please annotation the access region "
    "manually"};
inline constexpr DiagnosticKind kConstantSize{"script-constant-size", Severity::kError,
                                              "a constant of {} elements cannot have {} of them"};
inline constexpr DiagnosticKind kUnreadable{"script-unreadable", Severity::kError, "{} is printed, but cannot be read"};

}  // namespace relayopt::tir::diag
