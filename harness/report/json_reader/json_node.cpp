#include "report/json_reader/json_node.h"

#include <limits>

#include "error/error.h"

namespace parity::report {
namespace {

/// Longer keys are no keys of a report.
std::string shown(const std::string& key) {
  constexpr std::size_t kLongest = 80;
  return key.size() <= kLongest ? key : key.substr(0, kLongest) + "...";
}

constexpr const char* kAltered = "; it is no report of parity, or was altered";

}  // namespace

void JsonNode::refuse(const std::string& problem) const {
  const std::string where = path_.empty() ? "the document" : path_;
  throw Error(ErrorKind::usage, *file_ + ": " + where + " " + problem);
}

JsonNode JsonNode::child(const Json& value, const std::string& key) const {
  return {value, *file_, path_.empty() ? shown(key) : path_ + "." + shown(key)};
}

JsonNode JsonNode::child(const Json& value, std::size_t index) const {
  return {value, *file_, path_ + "[" + std::to_string(index) + "]"};
}

bool JsonNode::has(const char* key) const { return value_->is_object() && value_->contains(key); }

JsonNode JsonNode::at(const char* key) const {
  if (!value_->is_object()) refuse(std::string("is no object") + kAltered);
  const auto found = value_->find(key);
  if (found == value_->end()) {
    child(*value_, key)
        .refuse(
            "is missing, as in a report of an older parity or in an altered one; make the report "
            "again");
  }
  return child(*found, key);
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::entries() const {
  if (!value_->is_object()) refuse(std::string("is no object") + kAltered);
  std::vector<std::pair<std::string, JsonNode>> entries;
  for (const auto& item : value_->items())
    entries.emplace_back(item.key(), child(item.value(), item.key()));
  return entries;
}

std::vector<JsonNode> JsonNode::items() const {
  if (!value_->is_array()) refuse(std::string("is no list") + kAltered);
  std::vector<JsonNode> items;
  items.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) items.push_back(child((*value_)[i], i));
  return items;
}

/// Histograms are most of a report: no name is made up for a value that is fine.
template <typename T, typename Read, typename IsFine>
std::vector<T> JsonNode::each(const Read& read, const IsFine& is_fine) const {
  if (!value_->is_array()) refuse(std::string("is no list") + kAltered);
  std::vector<T> values;
  values.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    const Json& value = (*value_)[i];
    values.push_back(is_fine(value) ? value.get<T>() : read(child(value, i)));
  }
  return values;
}

std::string JsonNode::text() const {
  if (!value_->is_string()) refuse(std::string("is no text") + kAltered);
  return value_->get<std::string>();
}

std::string JsonNode::text_or_null() const { return is_null() ? std::string{} : text(); }

std::vector<std::string> JsonNode::texts() const {
  std::vector<std::string> texts;
  for (const JsonNode& item : items()) texts.push_back(item.text());
  return texts;
}

bool JsonNode::flag() const {
  if (!value_->is_boolean()) refuse(std::string("is neither true nor false") + kAltered);
  return value_->get<bool>();
}

double JsonNode::number() const {
  if (value_->is_number()) return value_->get<double>();
  if (value_->is_string()) {
    const auto& text = value_->get_ref<const std::string&>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
  }
  refuse(std::string("is no number") + kAltered);
}

std::optional<double> JsonNode::number_or_null() const {
  return is_null() ? std::nullopt : std::optional(number());
}

std::vector<double> JsonNode::numbers() const {
  return each<double>([](const JsonNode& item) { return item.number(); },
                      [](const Json& value) { return value.is_number(); });
}

std::uint64_t JsonNode::count() const {
  if (!value_->is_number_unsigned())
    refuse(std::string("is no whole number of 0 or more") + kAltered);
  return value_->get<std::uint64_t>();
}

std::vector<std::uint64_t> JsonNode::counts() const {
  return each<std::uint64_t>([](const JsonNode& item) { return item.count(); },
                             [](const Json& value) { return value.is_number_unsigned(); });
}

std::int64_t JsonNode::whole(std::int64_t least) const {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = value_->is_number_unsigned() ? value_->get<std::uint64_t>() <= kMost
                                                 : value_->is_number_integer();
  if (!fits || value_->get<std::int64_t>() < least)
    refuse("is no whole number from " + std::to_string(least) + " on" + kAltered);
  return value_->get<std::int64_t>();
}

std::vector<std::int64_t> JsonNode::wholes(std::int64_t least) const {
  std::vector<std::int64_t> wholes;
  for (const JsonNode& item : items()) wholes.push_back(item.whole(least));
  return wholes;
}

tensor::DType JsonNode::dtype() const { return word(tensor::dtype_from_name, "dtype"); }
std::string JsonNode::dtype_name() const { return std::string(tensor::name(dtype())); }
std::string JsonNode::dtype_name_or_null() const {
  return is_null() ? std::string{} : dtype_name();
}

}  // namespace parity::report
