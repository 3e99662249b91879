#include "model/decoder/kv_cache.h"

#include <algorithm>

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

namespace parity::model {

at::Tensor CachedStates::append(const at::Tensor& states) {
  constexpr std::int64_t kTokens = 2;
  if (!kept_.defined()) kept_ = at::empty({0}, states.options());
  at::Tensor all = at::cat({kept_, states}, kTokens);
  const std::int64_t count = all.size(kTokens);
  kept_ =
      window_ ? all.slice(kTokens, std::max<std::int64_t>(count - *window_ + 1, 0), count) : all;
  return all;
}

}  // namespace parity::model
