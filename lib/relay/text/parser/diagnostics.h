// Diagnostics of reading Relay text.
#pragma once

#include "relayopt/support/diagnostic.h"

namespace relayopt::diag {

// Lexical errors.
inline constexpr DiagnosticKind kUnclosedComment{"unclosed-comment", Severity::kError, "this comment is never closed"};
inline constexpr DiagnosticKind kUnclosedString{"unclosed-string", Severity::kError, "this string is never closed"};
inline constexpr DiagnosticKind kCarriageReturn{"carriage-return", Severity::kError,
                                                "a carriage return must be followed by a newline"};
inline constexpr DiagnosticKind kUnsupportedSection{"unsupported-section", Severity::kError,
                                                    "unsupported section '{}': only #[version = ...] at the start and "
                                                    "#[metadata] at the end are known"};
inline constexpr DiagnosticKind kMalformedMeta{"malformed-meta", Severity::kError,
                                               "malformed reference: write meta[KEY][INDEX]"};

// Numbers.
inline constexpr DiagnosticKind kInvalidInteger{"invalid-integer", Severity::kError,
                                                "invalid integer '{}' (a floating-point number ends in `f`)"};
inline constexpr DiagnosticKind kIntegerRange{"integer-range", Severity::kError, "integer {} does not fit {} bits"};
inline constexpr DiagnosticKind kFloatRange{"float-range", Severity::kError,
                                            "floating-point number {} does not fit {} bits"};
inline constexpr DiagnosticKind kLiteralWidth{"literal-width", Severity::kError,
                                              "no literal of {} bits: {} literals have 16, 32 or 64"};
inline constexpr DiagnosticKind kMinusSpace{"minus-space", Severity::kError,
                                            "`-` must stand directly before a number or between two operands"};

// Syntax.
inline constexpr DiagnosticKind kExpected{"expected", Severity::kError, "expected {}, found {}"};
inline constexpr DiagnosticKind kUnclosedBrace{"unclosed-brace", Severity::kError, "this `{{` is never closed"};
inline constexpr DiagnosticKind kMissingVersion{"missing-version", Severity::kError,
                                                "the text must start with #[version = \"0.0.5\"]"};
inline constexpr DiagnosticKind kEmptyText{"empty-text", Severity::kError,
                                           "the text is empty; a module begins with #[version = \"0.0.5\"]"};
inline constexpr DiagnosticKind kWrongVersion{"wrong-version", Severity::kError,
                                              "version {} cannot be read, only \"0.0.5\""};
inline constexpr DiagnosticKind kTooManyErrors{"too-many-errors", Severity::kNote, "{} more {} not shown"};
inline constexpr DiagnosticKind kTooManyWarnings{"too-many-warnings", Severity::kNote, "{} more {} not shown"};
inline constexpr DiagnosticKind kTooManyOperands{"too-many-operands", Severity::kError,
                                                 "an expression has at most {} operands"};

// Definitions.
inline constexpr DiagnosticKind kDuplicateFunction{"duplicate-function", Severity::kError, "@{} is defined twice"};
inline constexpr DiagnosticKind kDuplicateType{"duplicate-type", Severity::kError, "type {} is defined twice"};
inline constexpr DiagnosticKind kDuplicateConstructor{"duplicate-constructor", Severity::kError,
                                                      "constructor {} is defined twice"};
inline constexpr DiagnosticKind kExternConstructors{"extern-constructors", Severity::kError,
                                                    "an extern type has no constructors"};
inline constexpr DiagnosticKind kFreeVariable{"free-variable", Severity::kError, "{}"};
inline constexpr DiagnosticKind kVirtualDevice{"virtual-device", Severity::kError,
                                               "virtual_device must be a virtual device"};

// Names.
inline constexpr DiagnosticKind kUnknownLocal{"unknown-local", Severity::kError, "unknown variable %{}{}"};
inline constexpr DiagnosticKind kUnknownGraphVar{"unknown-graph-variable", Severity::kError,
                                                 "%{} is used before it is defined"};
inline constexpr DiagnosticKind kUnknownGlobal{"unknown-global", Severity::kError, "@{} is not defined{}"};
inline constexpr DiagnosticKind kUnknownOp{"unknown-operator", Severity::kError, "unknown operator '{}'{}"};
inline constexpr DiagnosticKind kUnknownConstructor{"unknown-constructor", Severity::kError,
                                                    "unknown constructor {}; a variable is written %{}"};
inline constexpr DiagnosticKind kRebound{"rebound", Severity::kWarning,
                                         "TVM ignores this second %{} of the same scope and keeps the first"};
inline constexpr DiagnosticKind kRepeatedParam{"repeated-parameter", Severity::kWarning,
                                               "%{} is bound twice here; the name means the first"};
inline constexpr DiagnosticKind kSelfReference{"self-reference", Severity::kWarning,
                                               "%{} is read as the earlier variable of this name; TVM reads it as the "
                                               "one being defined"};
inline constexpr DiagnosticKind kRedefinedGraphVar{"redefined-graph-variable", Severity::kWarning,
                                                   "TVM ignores this second definition of %{} and keeps the first"};
inline constexpr DiagnosticKind kGluedMinus{"glued-minus", Severity::kWarning,
                                            "read as a subtraction; TVM reads a further element {} here"};

// Types.
inline constexpr DiagnosticKind kUnknownDataType{"unknown-data-type", Severity::kError, "unknown element type '{}'{}"};
inline constexpr DiagnosticKind kBadDimension{"bad-dimension", Severity::kError, "a dimension cannot be {}"};
inline constexpr DiagnosticKind kNoType{"no-type", Severity::kError, "meta[{}][{}] is not a type"};
inline constexpr DiagnosticKind kTypeVariableArgs{"type-variable-arguments", Severity::kError,
                                                  "the type variable {} takes no arguments"};
inline constexpr DiagnosticKind kUnknownType{"unknown-type", Severity::kError, "unknown type {}{}"};

// Metadata.
inline constexpr DiagnosticKind kNoMetaKey{"unknown-meta-key", Severity::kError,
                                           "no entry in the metadata section for '{}'"};
inline constexpr DiagnosticKind kNoMetadata{"missing-metadata", Severity::kError,
                                            "meta[{}] needs a #[metadata] section, and the text has none"};
inline constexpr DiagnosticKind kMetaIndex{"meta-index", Severity::kError,
                                           "index {} is out of bounds: the metadata section has {} entries for '{}'"};
inline constexpr DiagnosticKind kMetaExpression{"meta-expression", Severity::kError,
                                                "meta[{}] cannot be used where an expression is expected"};

// Attributes.
inline constexpr DiagnosticKind kUnknownAttr{"unknown-attribute", Severity::kError, "{} has no attribute '{}'{}"};
inline constexpr DiagnosticKind kDuplicateAttr{"duplicate-attribute", Severity::kError,
                                               "attribute '{}' is given twice"};
inline constexpr DiagnosticKind kMissingAttr{"missing-attribute", Severity::kError,
                                             "{} needs the attribute '{}', which has no default"};
inline constexpr DiagnosticKind kAttrType{"attribute-type", Severity::kError, "attribute '{}' must be {}"};
inline constexpr DiagnosticKind kAttrDataType{"attribute-data-type", Severity::kError,
                                              "attribute '{}': unknown element type '{}'"};
inline constexpr DiagnosticKind kAttrValue{"attribute-value", Severity::kError,
                                           "an expression cannot be an attribute value"};
inline constexpr DiagnosticKind kNoAttrsClass{"no-attributes-class", Severity::kError,
                                              "cannot tell the class of these attributes: add "
                                              "attrs_type_key=\"...\""};
inline constexpr DiagnosticKind kWrongAttrsClass{"wrong-attributes-class", Severity::kError,
                                                 "{} has attributes of class {}, not {}"};

}  // namespace relayopt::diag
