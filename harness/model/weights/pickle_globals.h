// Which names a pickle may use, and what a call of one of them builds. Everything else is refused
// by name. Private to the pickle reader. No name is ever looked up in anything that could run.
#pragma once

#include <string_view>
#include <vector>

#include "model/weights/pickle_value.h"

namespace parity::model {

/// True for names that stand for plain data, tensors or their types.
[[nodiscard]] bool is_allowed_global(std::string_view name);

/// What calling the allowed name with `arguments` builds.
/// Throws MalformedPickle when the arguments do not fit or the name cannot be called.
[[nodiscard]] PickleObject* call_global(PickleArena& arena, std::string_view name,
                                        const std::vector<PickleObject*>& arguments);

/// Element type of "torch.FloatStorage" and the like, as a storage with nothing in it but the type.
/// nullopt for a name that is no storage class.
[[nodiscard]] std::optional<PickleStorage> storage_of_class(std::string_view name);

/// `_rebuild_tensor` and its later versions; `name` without its module.
[[nodiscard]] PickleObject* rebuild_tensor(PickleArena& arena, std::string_view name,
                                           const std::vector<PickleObject*>& arguments);

/// A tensor whose values cannot be used, with the reason as a predicate.
[[nodiscard]] PickleObject* unsupported_tensor(PickleArena& arena, std::string reason);

/// The oldest spelling: an empty tensor object that is given (storage, offset, sizes, strides)
/// afterwards.
void set_tensor_state(PickleObject& tensor, const PickleObject& state);

/// A NumPy scalar of a dtype object and its bytes.
[[nodiscard]] PickleObject* numpy_scalar(PickleArena& arena,
                                         const std::vector<PickleObject*>& arguments);
/// `state` is what NumPy's dtype objects are given after they were made: version and byte order
/// come first.
void set_numpy_dtype_state(PickleArena& arena, PickleInstance& dtype, const PickleObject& state);

}  // namespace parity::model
