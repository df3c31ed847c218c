// Targets from maps and strings.
#include "relayopt/tir/script/target_object.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <vector>

#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

namespace {

struct Default {
  std::string_view name;
  int64_t number;
  std::string_view text;
};

// What a kind has unless the map says otherwise.
struct KindRow {
  std::string_view name;
  std::array<std::string_view, 2> keys;
  std::array<Default, 6> attrs;
};

constexpr KindRow kKinds[] = {
    {"llvm", {"cpu"}, {}},
    {"c", {"cpu"}, {}},
    {"stackvm", {"cpu"}, {}},
    {"hexagon", {"hexagon", "cpu"}, {}},
    {"cuda", {"cuda", "gpu"}, {{{"thread_warp_size", 32, ""}, {"max_num_threads", 1024, ""}, {"arch", 0, "sm_50"}}}},
    {"nvptx",
     {"cuda", "gpu"},
     {{{"max_num_threads", 1024, ""},
       {"thread_warp_size", 32, ""},
       {"mcpu", 0, "sm_50"},
       {"mtriple", 0, "nvptx64-nvidia-cuda"}}}},
    {"rocm",
     {"rocm", "gpu"},
     {{{"max_num_threads", 256, ""},
       {"max_threads_per_block", 256, ""},
       {"max_shared_memory_per_block", 65536, ""},
       {"thread_warp_size", 64, ""}}}},
    {"opencl",
     {"opencl", "gpu"},
     {{{"max_threads_per_block", 256, ""},
       {"max_shared_memory_per_block", 16384, ""},
       {"max_num_threads", 256, ""},
       {"thread_warp_size", 1, ""},
       {"texture_spatial_limit", 16384, ""},
       {"max_function_args", 128, ""}}}},
    {"metal",
     {"metal", "gpu"},
     {{{"max_num_threads", 256, ""},
       {"max_threads_per_block", 256, ""},
       {"max_shared_memory_per_block", 32768, ""},
       {"thread_warp_size", 16, ""},
       {"max_function_args", 31, ""}}}},
    {"vulkan",
     {"vulkan", "gpu"},
     {{{"max_num_threads", 256, ""}, {"max_threads_per_block", 256, ""}, {"thread_warp_size", 1, ""}}}},
    {"webgpu", {"webgpu", "gpu"}, {{{"max_num_threads", 256, ""}}}},
    {"ext_dev", {}, {}},
    {"hybrid", {}, {}},
    {"composite", {}, {}},
    {"test", {}, {}},
};

// `kind -name=value -flag ...` as a map; values that are numbers become numbers, `keys` a list.
auto FromString(Context& context, std::string_view text) -> std::map<std::string, ObjectId> {
  std::map<std::string, ObjectId> fields;
  bool first = true;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    if (word.empty()) continue;
    if (first) {
      fields["kind"] = context.AddString(word);
      first = false;
      continue;
    }
    while (!word.empty() && word[0] == '-') word.remove_prefix(1);
    const size_t equal = word.find('=');
    const std::string name(word.substr(0, equal));
    std::string_view value = equal == std::string_view::npos ? "1" : word.substr(equal + 1);
    int64_t number = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (fault == std::errc() && end == value.data() + value.size()) {
      fields[name] = context.AddInt(number);
    } else if (name == "keys" || name == "mattr" || name == "libs") {
      std::vector<ObjectId> items;
      for (size_t comma = 0; comma != std::string_view::npos;) {
        comma = value.find(',');
        items.push_back(context.AddString(value.substr(0, comma)));
        if (comma != std::string_view::npos) value.remove_prefix(comma + 1);
      }
      fields[name] = context.AddArray(items);
    } else {
      fields[name] = context.AddString(value);
    }
  }
  return fields;
}

}  // namespace

auto MakeTarget(Context& context, ObjectId from, ObjectId host, std::string& fault) -> ObjectId {
  if (!from) {
    fault = "None";
    return {};
  }
  std::map<std::string, ObjectId> fields;
  const Object& object = context.object(from);
  if (RefKindOf(context, object) == RefKind::kTarget) {
    if (!host) return from;
    for (size_t i = 0; i < object.items.size(); i += 2) {
      fields[std::string(context.text(context.object(object.items[i]).text))] = object.items[i + 1];
    }
  } else if (object.kind == ObjectKind::kString) {
    fields = FromString(context, context.text(object.text));
  } else if (object.kind == ObjectKind::kMap) {
    for (size_t i = 0; i < object.items.size(); i += 2) {
      const Object& key = context.object(object.items[i]);
      if (key.kind != ObjectKind::kString) {
        fault = "a key that is no string";
        return {};
      }
      fields[std::string(context.text(key.text))] = object.items[i + 1];
    }
  } else {
    fault = "neither a dict nor a string";
    return {};
  }
  const auto kind = fields.find("kind");
  if (kind == fields.end() || !kind->second || context.object(kind->second).kind != ObjectKind::kString) {
    fault = "a target without a kind";
    return {};
  }
  const std::string_view name = context.text(context.object(kind->second).text);
  const auto row = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindRow& k) { return k.name == name; });
  if (row == std::end(kKinds)) {
    fault = "the unknown kind " + std::string(name);
    return {};
  }
  if (!fields.contains("tag")) fields["tag"] = context.AddString("");
  // Keys: those given, the device, those of the kind.
  std::vector<ObjectId> keys;
  std::vector<std::string_view> seen;
  const auto add_key = [&](std::string_view key) {
    if (key.empty() || std::find(seen.begin(), seen.end(), key) != seen.end()) return;
    seen.push_back(key);
    keys.push_back(context.AddString(key));
  };
  if (const auto given = fields.find("keys"); given != fields.end() && given->second) {
    for (const ObjectId key : context.object(given->second).items) {
      if (context.object(key).kind == ObjectKind::kString) add_key(context.text(context.object(key).text));
    }
  } else {
    if (const auto device = fields.find("device"); device != fields.end() && device->second) {
      add_key(context.text(context.object(device->second).text));
    }
    for (const std::string_view key : row->keys) add_key(key);
  }
  // A map that names its keys was printed from a whole target.
  const bool whole = fields.contains("keys");
  fields["keys"] = context.AddArray(keys);
  for (const Default& attr : row->attrs) {
    if (whole || attr.name.empty() || fields.contains(std::string(attr.name))) continue;
    fields[std::string(attr.name)] = attr.text.empty() ? context.AddInt(attr.number) : context.AddString(attr.text);
  }
  if (host) fields["host"] = host;
  if (const auto found = fields.find("host"); found != fields.end() && found->second) {
    found->second = MakeTarget(context, found->second, {}, fault);
    if (!found->second) return {};
  }
  std::vector<ObjectId> items;
  for (const auto& [key, value] : fields) {
    items.push_back(context.AddString(key));
    items.push_back(value);
  }
  return AddTarget(context, items);
}

}  // namespace relayopt::tir
