// Layout of a history file and its versions. Private to the folder.
#pragma once

#include "history/database.h"

namespace parity::history {

inline constexpr std::int64_t kApplicationId = 0x70726974;  ///< "prit"
inline constexpr std::int64_t kSchemaVersion = 2;

/// Brings the file to this version inside the open write transaction: a new file is laid out, an
/// older one goes through every step in between. Throws Error(store) for a database of somebody
/// else's or of a newer parity.
void bring_up_to_date(const Database& database);

/// Throws Error(store) unless the file is a history of exactly this version.
void check_readable(const Database& database);

}  // namespace parity::history
