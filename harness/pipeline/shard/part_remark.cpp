#include "pipeline/shard/part_remark.h"

namespace parity::pipeline {

std::string part_remark(const golden_store::GoldenReader& golden) {
  if (!golden.shard()) return {};
  const run::ShardRecord& record = *golden.shard();
  return golden.path().filename().string() + " is " + run::to_string(record.shard) + " with " +
         std::to_string(record.positions.size()) + " of " + std::to_string(record.case_count) +
         " cases, not a whole recording; parity merge joins the shards";
}

}  // namespace parity::pipeline
