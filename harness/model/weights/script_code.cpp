#include "model/weights/script_code.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "error/error.h"
#include "model/weights/file_bytes.h"
#include "model/weights/pickle_reader.h"
#include "model/weights/zip_archive.h"

namespace parity::model {
namespace {

/// A class or a function of the archive.
struct Definition {
  enum class Kind : std::uint8_t { module, other_class, function } kind = Kind::function;
  std::set<std::string> calls;       ///< operators and custom classes
  std::set<std::string> references;  ///< names of classes and functions, perhaps with a method's
};
using Definitions = std::map<std::string, Definition>;

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The line without what stands in quotes: text is no code.
std::string without_texts(std::string_view line) {
  std::string code;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (quote == '\0' && letter == '#') break;
    if (quote == '\0' && (letter == '"' || letter == '\'')) {
      quote = letter;
    } else if (quote != '\0' && letter == '\\') {
      ++i;
    } else if (quote != '\0' && letter == quote) {
      quote = '\0';
    } else if (quote == '\0') {
      code += letter;
    }
  }
  return code;
}

/// "ops.my.fused" of "x = ops.my.fused(y)": names with dots, but for attributes of an expression.
std::vector<std::string> dotted_names(const std::string& code) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < code.size();) {
    if (!is_word(code[i])) {
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (i < code.size() && (is_word(code[i]) || code[i] == '.')) ++i;
    if (first == 0 || code[first - 1] != '.') names.push_back(code.substr(first, i - first));
  }
  return names;
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('.', start), name.size());
    parts.push_back(name.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

constexpr std::string_view kCustomClasses = "__torch__.torch.classes.";

void add_name(const std::string& name, Definition& definition) {
  const std::vector<std::string> parts = parts_of(name);
  if (name.rfind(kCustomClasses, 0) == 0) {
    if (parts.size() >= 5)
      definition.calls.insert(std::string(kCustomClasses) + parts[3] + "." + parts[4]);
  } else if (parts.front() == "__torch__") {
    definition.references.insert(name);
  } else if (parts.front() == "ops" && parts.size() >= 3) {
    if (parts[1] != "prim") definition.calls.insert(parts[1] + "::" + parts[2]);
  } else if (parts.front() == "torch" && parts.size() == 2) {
    definition.calls.insert("aten::" + parts[1]);
  }
}

/// Reads one source record; `prefix` is its module, "__torch__.torch.nn.modules.linear".
void add_source(std::string_view text, const std::string& prefix, Definitions& definitions) {
  Definition* current = nullptr;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string code = without_texts(text.substr(start, end - start));
    start = end + 1;
    for (const std::string_view keyword : {"class ", "def "}) {
      if (code.rfind(keyword, 0) != 0) continue;
      std::size_t stop = keyword.size();
      while (stop < code.size() && is_word(code[stop])) ++stop;
      current = &definitions[prefix + "." + code.substr(keyword.size(), stop - keyword.size())];
      using Kind = Definition::Kind;
      current->kind = keyword == "def "                        ? Kind::function
                      : code.compare(stop, 8, "(Module)") == 0 ? Kind::module
                                                               : Kind::other_class;
    }
    if (current == nullptr) continue;
    for (const std::string& name : dotted_names(code)) add_name(name, *current);
  }
}

/// What a definition calls, itself and through others, and all definitions that took.
struct Collected {
  std::set<std::string> calls;
  std::set<std::string> seen;
};

/// Through functions and plain classes; a module's calls are its own.
Collected collect(const Definitions& definitions, const std::string& name) {
  Collected collected;
  std::vector<std::string> queue = {name};
  while (!queue.empty()) {
    const std::string each = queue.back();
    queue.pop_back();
    const auto found = definitions.find(each);
    if (found == definitions.end() || !collected.seen.insert(each).second) continue;
    collected.calls.insert(found->second.calls.begin(), found->second.calls.end());
    for (std::string reference : found->second.references) {
      // "__torch__.boxes.Coder.decode" is a method of the class before it.
      while (definitions.count(reference) == 0 && reference.find('.') != std::string::npos)
        reference.resize(reference.rfind('.'));
      const auto target = definitions.find(reference);
      if (target != definitions.end() && target->second.kind != Definition::Kind::module)
        queue.push_back(reference);
    }
  }
  return collected;
}

/// Every storage is there, as large as it is said to be: where it lies does not matter here.
class NoStorages final : public StorageFinder {
 public:
  explicit NoStorages(PickleArena& arena) : arena_(arena) {}
  PickleStorage* find(const StorageRequest& request) override {
    PickleStorage storage = request.type;
    storage.key = request.key;
    if (__builtin_mul_overflow(request.elements, storage.element_bytes, &storage.size_bytes))
      storage.size_bytes = 0;
    return arena_.make_storage(std::move(storage));
  }

 private:
  PickleArena& arena_;
};

struct Layer {
  std::string path;
  std::string class_name;
};

/// All modules below the model, each by its first path.
std::vector<Layer> layers_of(const ZipArchive& archive, const std::string& folder,
                             const Definitions& definitions, const std::string& label) {
  std::vector<Layer> layers;
  const std::optional<FileBytes> record = archive.read(folder + "data.pkl");
  if (!record) return layers;
  PickleArena arena;
  NoStorages storages(arena);
  const Pickle pickle = read_pickle(record->bytes, 0, arena, &storages, label);
  std::set<const PickleInstance*> seen;
  std::vector<std::pair<const PickleObject*, std::string>> stack = {{pickle.root, ""}};
  while (!stack.empty()) {
    const auto [object, path] = stack.back();
    stack.pop_back();
    const auto* instance = object == nullptr ? nullptr : object->as<PickleInstance>();
    if (instance == nullptr || !seen.insert(instance).second) continue;
    const auto found = definitions.find(instance->class_name);
    if (found == definitions.end() || found->second.kind != Definition::Kind::module) continue;
    layers.push_back({path, instance->class_name});
    const auto* state = instance->state == nullptr ? nullptr : instance->state->as<PickleDict>();
    if (state == nullptr) continue;
    for (auto item = state->items.rbegin(); item != state->items.rend(); ++item) {
      const auto key = text_of(*item->first);
      if (key)
        stack.emplace_back(item->second, (path.empty() ? "" : path + ".") + std::string(*key));
    }
  }
  return layers;
}

Definitions definitions_of(const ZipArchive& archive, const std::string& code_folder) {
  static constexpr std::string_view kEnding = ".py";
  Definitions definitions;
  for (const ZipArchive::Entry& entry : archive.entries()) {
    const std::string& name = entry.name;
    if (name.rfind(code_folder, 0) != 0 || name.size() <= code_folder.size() + kEnding.size() ||
        name.compare(name.size() - kEnding.size(), kEnding.size(), kEnding) != 0) {
      continue;
    }
    std::string prefix =
        name.substr(code_folder.size(), name.size() - code_folder.size() - kEnding.size());
    std::replace(prefix.begin(), prefix.end(), '/', '.');
    if (const auto record = archive.read(name))
      add_source(as_text(record->bytes), prefix, definitions);
  }
  return definitions;
}

}  // namespace

std::vector<ScriptCall> script_calls(const std::filesystem::path& file) {
  const std::string label = file.string();
  const ZipArchive archive(map_file(file), label);
  const std::string top = archive.top_folder();
  const std::string folder = top.empty() ? top : top + "/";
  const Definitions definitions = definitions_of(archive, folder + "code/");

  std::map<std::string, std::vector<std::string>> users;
  std::set<std::string> reached;
  const auto add = [&](const std::string& name, const std::string& layer) {
    const Collected collected = collect(definitions, name);
    reached.insert(collected.seen.begin(), collected.seen.end());
    for (const std::string& call : collected.calls) users[call].push_back(layer);
  };
  for (const Layer& layer : layers_of(archive, folder, definitions, label))
    add(layer.class_name, layer.path);
  for (const auto& [name, definition] : definitions) {
    const bool is_class = definition.kind != Definition::Kind::function;
    static constexpr std::size_t kRoot = std::string_view("__torch__.").size();
    if (reached.count(name) == 0)
      add(name, (is_class ? "class " : "function ") + name.substr(std::min(kRoot, name.size())));
  }
  std::vector<ScriptCall> calls;
  calls.reserve(users.size());
  for (auto& [name, layers] : users) calls.push_back({name, std::move(layers)});
  return calls;
}

}  // namespace parity::model
