#include "model/weights/json_text.h"

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "error/error.h"

namespace parity::model {

nlohmann::json parse_json(std::string_view text, const std::string& label) {
  using nlohmann::json;
  constexpr int kDeepest = 64;
  std::vector<std::set<std::string>> keys;
  std::string fault;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (!fault.empty()) return false;
    if (depth > kDeepest) fault = "nests deeper than 64 levels";
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) fault = "has the key `" + key + "` twice";
    }
    return fault.empty();
  };
  json document;
  try {
    document = json::parse(text.begin(), text.end(), watch);
  } catch (const nlohmann::json::exception& error) {
    if (fault.empty()) {
      throw Error(ErrorKind::model, label + " is no valid JSON; write or download it again")
          .with_detail(error.what());
    }
  }
  if (!fault.empty()) throw Error(ErrorKind::model, label + " " + fault + "; write it again");
  return document;
}

std::optional<std::int64_t> size_from_json(const nlohmann::json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

}  // namespace parity::model
