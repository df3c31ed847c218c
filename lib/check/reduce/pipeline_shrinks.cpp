// Making pipelines smaller: passes are left out, elements that represent several passes are replaced by them, and
// options have their defaults.
#include <algorithm>
#include <utility>

#include "lib/check/reduce/shrinks.h"

namespace relayopt {

namespace {

// Builds a pipeline from the elements of another: `visit(element, out)` appends what an element becomes, whose children
// have been visited. Pipelines are as deep as users write them, which the parser bounds.
template <typename Visit>
auto Rebuilt(const Pipeline& pipeline, Visit&& visit) -> Pipeline {
  Pipeline out;
  for (const PipelineElement& element : pipeline) {
    PipelineElement copy = element;
    copy.children = Rebuilt(element.children, visit);
    visit(std::move(copy), out);
  }
  return out;
}

auto WithoutPasses(const Pipeline& pipeline, Places& places) -> std::optional<Pipeline> {
  bool changed = false;
  Pipeline out = Rebuilt(pipeline, [&](PipelineElement element, Pipeline& to) {
    const bool is_empty = element.kind != PipelineElement::Kind::kPass &&
                          element.kind != PipelineElement::Kind::kNamed && element.children.empty();
    if (places.Next() || is_empty)
      changed = true;
    else
      to.push_back(std::move(element));
  });
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

// `default<O2>` as its passes, `fixpoint(...)` as what is in it.
auto WithoutCombinators(const Pipeline& pipeline, Places& places) -> std::optional<Pipeline> {
  bool changed = false;
  Pipeline out = Rebuilt(pipeline, [&](PipelineElement element, Pipeline& to) {
    if (element.kind == PipelineElement::Kind::kPass || !places.Next()) return to.push_back(std::move(element));
    changed = true;
    if (element.kind == PipelineElement::Kind::kNamed) {
      if (Result<Pipeline> passes = ParsePipeline(Expansion(element))) element.children = *std::move(passes);
    }
    for (PipelineElement& child : element.children) to.push_back(std::move(child));
  });
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

auto HasOptions(const PipelineElement& element) -> bool {
  return element.kind == PipelineElement::Kind::kPass &&
         std::ranges::any_of(element.def->options->fields,
                             [&](const OptionInfo& option) { return !element.options.IsDefault(option); });
}

auto WithoutOptions(const Pipeline& pipeline, Places& places) -> std::optional<Pipeline> {
  bool changed = false;
  Pipeline out = Rebuilt(pipeline, [&](PipelineElement element, Pipeline& to) {
    if (HasOptions(element) && places.Next()) {
      changed = true;
      element.options = PassOptions(*element.def->options);
    }
    to.push_back(std::move(element));
  });
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

constexpr PipelineShrink kPipelineShrinks[] = {WithoutPasses, WithoutCombinators, WithoutPasses, WithoutOptions};

}  // namespace

auto PipelineShrinks() -> std::span<const PipelineShrink> { return kPipelineShrinks; }

}  // namespace relayopt
