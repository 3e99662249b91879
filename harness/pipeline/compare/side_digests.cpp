#include "pipeline/compare/side_digests.h"

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/record/field_digest.h"
#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

void add_taps(FieldDigest& fields, const std::vector<run::TapRecord>& taps) {
  fields.add(std::to_string(taps.size()));
  for (const run::TapRecord& tap : taps) {
    fields.add(run::to_string(tap.id));
    fields.add(run::name(tap.id.kind));
    fields.add(tensor::name(tap.dtype));
    fields.add(tensor::to_string(tap.shape));
    fields.add(tensor::to_hex(tap.digest));
    fields.add(run::name(tap.mode));
    fields.add(std::to_string(tap.rows.size()));
    for (const std::int64_t row : tap.rows) fields.add(std::to_string(row));
  }
}

std::string digest_of_recording(const golden_store::GoldenReader& golden) {
  FieldDigest fields;
  for (const run::CaseRecord& item : golden.cases()) {
    fields.add(item.name);
    add_taps(fields, item.taps);
    if (item.truth) add_taps(fields, item.truth->taps);
  }
  return tensor::to_hex(fields.finish());
}

std::string digest_of_inputs(const golden_store::GoldenReader& golden) {
  FieldDigest fields;
  for (std::size_t i = 0; i < golden.cases().size(); ++i) {
    fields.add(golden.cases()[i].name);
    fields.add(golden.read_inputs(i));
  }
  return tensor::to_hex(fields.finish());
}

}  // namespace

report::SideDigests digests_of(const run::ModelDescription& model) {
  // Without any weight there is nothing that could be told apart.
  return {"", "", model.weights.empty() ? std::string() : tensor::to_hex(model.all_weights)};
}

report::SideDigests digests_of(const golden_store::GoldenReader& golden) {
  return {digest_of_recording(golden), digest_of_inputs(golden),
          digests_of(golden.header().model).weights};
}

}  // namespace parity::pipeline
