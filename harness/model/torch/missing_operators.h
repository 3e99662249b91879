// Private to model/: operators and classes that a model file needs and nobody registered.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/weights/script_code.h"

namespace parity::model {

/// All of them in one sentence, each with the layers that call it; "" when none is missing. For a
/// file that torch does not load: it stops at the first.
[[nodiscard]] std::string missing_operators(const std::filesystem::path& file);

/// The same for calls that are known to be missing: "no library registers my_ops::fused (in
/// blocks.0); ..."; "" for none.
[[nodiscard]] std::string text_of_missing(const std::vector<ScriptCall>& missing);

/// "my_ops::fused (in blocks.0, blocks.1 and 2 more), ..."
[[nodiscard]] std::string listed_with_layers(const std::vector<ScriptCall>& calls);

}  // namespace parity::model
