#include "model/weights/state_dict_search.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "error/error.h"
#include "model/weights/torch_file.h"

namespace parity::model {
namespace {

constexpr int kDeepest = 32;
constexpr std::size_t kMostNamed = 8;

std::string key_text(const PickleObject& key) {
  if (const std::optional<std::string_view> text = text_of(key)) return std::string(*text);
  if (const auto* number = key.as<std::int64_t>()) return std::to_string(*number);
  return std::string("<").append(describe(key)).append(">");
}

std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

/// "a, b, c and 5 more"
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kMostNamed) {
    text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  }
  return text;
}

/// Name and value of every child of a dict, list or tuple.
void for_each_child(const PickleObject& object,
                    const std::function<void(const std::string&, const PickleObject&)>& visit) {
  if (const auto* dict = object.as<PickleDict>()) {
    for (const auto& [key, value] : dict->items) visit(key_text(*key), *value);
  } else if (const auto* sequence = object.as<PickleSequence>()) {
    for (std::size_t i = 0; i < sequence->items.size(); ++i) {
      visit(std::to_string(i), *sequence->items[i]);
    }
  }
}

bool maps_names_to_tensors(const PickleObject& object) {
  const auto* dict = object.as<PickleDict>();
  return dict != nullptr &&
         std::any_of(dict->items.begin(), dict->items.end(), [](const auto& item) {
           return text_of(*item.first) && item.second->template as<PickleTensor>() != nullptr;
         });
}

/// An optimizer's own state holds tensors by name too; nobody means it.
bool is_optimizer(const std::string& name, const PickleObject& object) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  const auto* dict = object.as<PickleDict>();
  return lower.find("optim") != std::string::npos ||
         (dict != nullptr && dict->index.count("sparam_groups") != 0);
}

struct Found {
  std::string path;
  const PickleObject* dict;
};

class Search {
 public:
  /// Candidates in the file's order. A dict that holds further candidates is none itself: its loose
  /// tensors (a random generator's state, say) are reported as left out.
  std::vector<Found> run(const PickleObject& root) {
    static_cast<void>(visit("", root, 0));
    return std::move(found_);
  }
  [[nodiscard]] const std::vector<std::string>& loose() const { return loose_; }

 private:
  bool visit(const std::string& path, const PickleObject& object, int depth) {
    // Shared parts are searched once, so that no structure takes longer than its number of objects.
    const bool is_container =
        object.as<PickleDict>() != nullptr || object.as<PickleSequence>() != nullptr;
    if (!is_container || depth > kDeepest || !seen_.insert(&object).second) return false;
    bool below = false;
    for_each_child(object, [&](const std::string& name, const PickleObject& child) {
      if (!is_optimizer(name, child)) below |= visit(join(path, name), child, depth + 1);
    });
    if (!maps_names_to_tensors(object)) return below;
    if (!below) {
      found_.push_back({path, &object});
      return true;
    }
    for_each_child(object, [&](const std::string& name, const PickleObject& child) {
      if (child.as<PickleTensor>() != nullptr) loose_.push_back(join(path, name));
    });
    return true;
  }

  std::vector<Found> found_;
  std::vector<std::string> loose_;
  std::unordered_set<const PickleObject*> seen_;
};

/// The object at a dotted path, whose names may contain dots themselves; nullptr when there is
/// none.
const PickleObject* at_path(const PickleObject& object, const std::string& path, int depth) {
  if (path.empty()) return &object;
  const PickleObject* result = nullptr;
  for_each_child(object, [&](const std::string& name, const PickleObject& child) {
    if (result != nullptr || name.empty() || path.compare(0, name.size(), name) != 0) return;
    if (path.size() == name.size()) {
      result = &child;
    } else if (path[name.size()] == '.' && depth < kDeepest) {
      result = at_path(child, path.substr(name.size() + 1), depth + 1);
    }
  });
  return result;
}

std::string not_found(const PickleObject& root, const std::string& key, const std::string& label) {
  std::vector<std::string> names;
  for_each_child(root,
                 [&](const std::string& name, const PickleObject&) { names.push_back(name); });
  return label + " has no `" + key + "` inside (its top level holds " +
         (names.empty() ? describe(root) : list_of(names)) + "); check --state-key";
}

Found locate(const PickleObject& root, const std::string& key, const std::string& label,
             std::vector<std::string>& notes) {
  if (!key.empty()) {
    const PickleObject* object = key == "." ? &root : at_path(root, key, 0);
    if (object == nullptr) throw Error(ErrorKind::model, not_found(root, key, label));
    if (!maps_names_to_tensors(*object)) {
      throw Error(ErrorKind::model, label + " holds " + describe(*object) + " at `" + key +
                                        "`, not a state_dict; check --state-key");
    }
    return {key == "." ? "" : key, object};
  }
  Search search;
  std::vector<Found> found = search.run(root);
  if (found.empty()) {
    throw Error(ErrorKind::model, label + " holds no state_dict (its top level is " +
                                      describe(root) +
                                      "); save model.state_dict() with torch.save, and give "
                                      "inputs with --inputs");
  }
  if (found.size() > 1) {
    std::vector<std::string> paths;
    for (const Found& one : found) paths.push_back(one.path);
    throw Error(ErrorKind::model, label + " holds " + std::to_string(found.size()) +
                                      " state_dicts (" + list_of(paths) +
                                      "); choose one with --state-key");
  }
  if (!search.loose().empty()) {
    notes.push_back("left out tensors outside `" + found.front().path +
                    "`: " + list_of(search.loose()));
  }
  return found.front();
}

}  // namespace

StateDict find_state_dict(const PickleObject& root, const std::string& key,
                          const std::string& label) {
  StateDict result;
  const Found found = locate(root, key, label, result.notes);
  result.key = found.path;
  std::vector<std::string> ignored;
  std::unordered_set<std::string> names;
  for (const auto& [name_object, value] : found.dict->as<PickleDict>()->items) {
    const std::string name = key_text(*name_object);
    const auto* tensor = value->as<PickleTensor>();
    if (tensor == nullptr || !text_of(*name_object)) {
      ignored.push_back(name);
      continue;
    }
    if (!names.insert(name).second) {
      throw Error(ErrorKind::model, label + " has two weights named `" + name + "`; save it again");
    }
    result.tensors.push_back(stored_tensor(name, *tensor, label));
  }
  if (!ignored.empty()) {
    result.notes.push_back(
        "ignored " + std::to_string(ignored.size()) +
        (ignored.size() == 1 ? " entry that is no tensor: " : " entries that are no tensors: ") +
        list_of(ignored));
  }
  return result;
}

}  // namespace parity::model
