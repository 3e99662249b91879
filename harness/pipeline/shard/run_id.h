// What tells the shards of one command from those of another, agreed on without talking.
#pragma once

#include <vector>

#include "pipeline/record/record.h"
#include "run/shard.h"
#include "tensor/digest.h"

namespace parity::pipeline {

/// Every flag that decides what is recorded, in a fixed order.
[[nodiscard]] std::vector<run::Flag> run_flags(const RecordRequest& request);

/// Digest over weights, inputs, names and order of all cases, and run_flags().
/// `inputs`: of all cases. Not in it: the device, of which the files themselves say what it is, and
/// the time, so that one shard can be recorded again.
[[nodiscard]] tensor::Digest run_id(const RecordRequest& request,
                                    const run::ModelDescription& model, const EarlyInputs& inputs);

}  // namespace parity::pipeline
