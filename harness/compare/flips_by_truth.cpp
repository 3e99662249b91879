#include "compare/flips_by_truth.h"

#include <array>
#include <optional>

#include "compare/row_kernel.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::TensorView;

struct Choice {
  std::size_t token = 0;  ///< of the largest logit, the first on a tie
  double gap = 0;         ///< between the two largest logits
};

/// nullopt for a row with NaN or +Inf, or without any finite logit.
std::optional<Choice> choice_of(const TensorView& logits, std::uint64_t row, BestTokens& best) {
  if (!find_best_tokens(row_of(logits, row), best)) return std::nullopt;
  return Choice{best.tokens()[0].index, best.gap()};
}

}  // namespace

FlipsByTruth flips_by_truth(Reference<TensorView> reference, Candidate<TensorView> candidate,
                            const TensorView& truth, const LogitsOptions& options) {
  const tensor::Shape& shape = reference.value.shape;
  const std::array<const TensorView*, 3> all = {&reference.value, &candidate.value, &truth};
  for (const TensorView* view : all)
    PARITY_CHECK(tensor::is_floating(view->dtype) && view->shape == shape && !shape.empty());
  FlipsByTruth result;
  const auto vocabulary = static_cast<std::size_t>(shape.back());
  const std::uint64_t rows = vocabulary == 0 ? 0 : tensor::element_count(shape) / vocabulary;
  BestTokens best(2);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const std::optional<Choice> reference_choice = choice_of(reference.value, row, best);
    const std::optional<Choice> candidate_choice = choice_of(candidate.value, row, best);
    const std::optional<Choice> true_choice = choice_of(truth, row, best);
    if (!reference_choice || !candidate_choice || !true_choice ||
        reference_choice->token == candidate_choice->token) {
      continue;
    }
    const bool sides_with_candidate = true_choice->token == candidate_choice->token;
    const bool decided = reference_choice->gap >= options.decided_gap;
    ++result.flips;
    if (sides_with_candidate) ++result.candidate;
    if (true_choice->token == reference_choice->token) ++result.reference;
    if (decided) ++result.decided;
    if (decided && !sides_with_candidate) ++result.decided_elsewhere;
  }
  return result;
}

}  // namespace parity::compare
