// What a model cannot do unless its kind says otherwise.
#include "model/model.h"

#include "error/error.h"

namespace parity::model {

tensor::Value Model::with_greedy_tokens(const tensor::Value& /*inputs*/, std::int64_t /*steps*/) {
  throw Error(ErrorKind::usage,
              "--decode needs the built-in decoder, which keeps the key/value cache itself, and " +
                  description().file_name + " is of kind " + description().kind +
                  ": give the state_dict with --config, or leave --decode out");
}

}  // namespace parity::model
