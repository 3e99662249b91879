// Reads one pickle into plain data without running anything.
// Protocols 0 to 5; classes that are not plain data or tensors are remembered by name and never
// looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/weights/pickle_value.h"

namespace parity::model {

/// What a persistent id asks for: the memory of one storage.
struct StorageRequest {
  PickleStorage type;  ///< dtype, type name and element size; nothing else is set
  std::string key;
  std::string location;  ///< "cpu", "cuda:0"
  std::uint64_t elements = 0;

  struct View {
    std::string key;
    std::uint64_t offset_elements = 0;
    std::uint64_t elements = 0;
  };
  std::optional<View> view;  ///< legacy files alone
};

/// The container around a pickle, which knows where storages lie.
class StorageFinder {
 public:
  virtual ~StorageFinder() = default;
  /// Throws Error(model) when the file has no such storage.
  [[nodiscard]] virtual PickleStorage* find(const StorageRequest& request) = 0;
};

/// A name that is not allowed, and whether the pickle calls it or only names it.
struct RefusedGlobal {
  enum class Use : std::uint8_t { named, instance, called };
  std::string name;
  Use use = Use::named;
};

struct Pickle {
  PickleObject* root = nullptr;
  std::size_t end = 0;  ///< position after the pickle
  std::vector<RefusedGlobal> refused;
  std::string module_class;  ///< class of the outermost torch.nn.Module that is pickled whole; ""
                             ///< without one
};

/// Reads the pickle at `position`. `finder` may be null where no storages can be. `label` is the
/// file's name. Throws Error(model) when it is malformed; names that are not allowed come back in
/// `refused`.
[[nodiscard]] Pickle read_pickle(std::span<const std::byte> bytes, std::size_t position,
                                 PickleArena& arena, StorageFinder* finder,
                                 const std::string& label);

/// Why the pickle is refused, in one sentence with the name of the global; "" when all of it is
/// plain data.
[[nodiscard]] std::string refusal(const Pickle& pickle, const std::string& label);

}  // namespace parity::model
