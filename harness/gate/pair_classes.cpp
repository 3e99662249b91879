#include "gate/pair_classes.h"

namespace parity::gate {

std::uint64_t one_sided(const compare::ClassCounts& classes) {
  return classes.nan_reference_only + classes.nan_candidate_only + classes.inf_opposite +
         classes.inf_reference_only + classes.inf_candidate_only;
}

bool is_identical(const compare::TensorComparison& facts) {
  const compare::ClassCounts& classes = facts.classes;
  return facts.reference_dtype == facts.candidate_dtype && one_sided(classes) == 0 &&
         classes.equal_bits + classes.both_nan >= facts.elements && classes.zero_sign == 0 &&
         facts.ulp.max == 0 && facts.absolute.max == 0 && facts.nrmse == 0;
}

bool is_only_flushing(const compare::TensorComparison& facts) {
  const int bits = tensor::significand_bits(tensor::component(facts.reference_dtype));
  const bool wide_range = facts.reference_dtype == tensor::DType::bfloat16 || bits >= 24;
  const compare::ClassCounts& classes = facts.classes;
  return wide_range && facts.reference_dtype == facts.candidate_dtype &&
         classes.flushed_to_zero > 0 && one_sided(classes) == 0 &&
         classes.equal_bits + classes.flushed_to_zero + classes.zero_sign >= facts.elements;
}

}  // namespace parity::gate
