// Rows of logits by SIMD, chosen at run time: the best tokens of one row, and how far the softmaxes
// of two are apart. The same bits on every target. Knows nothing of positions, flips or bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compare/formats.h"
#include "compare/sides.h"
#include "tensor/host_tensor.h"

namespace parity::compare {

/// Elements that are worked on together while they sit in the first-level cache.
inline constexpr std::size_t kRowBlock = 1024;

/// How the elements of a row become float32 or float64: by SIMD, or `other` ones one by one.
enum class RowKind : std::uint8_t { float32, bfloat16, float16, float64, other };

/// One row of one side, any floating dtype, any alignment.
struct LogitsRow {
  RowKind kind = RowKind::other;
  const std::byte* bytes = nullptr;
  std::size_t element_bytes = 0;
  std::size_t vocabulary = 0;
  ValueReader read = nullptr;  ///< of one element
};

/// Row `row` of logits whose last dimension is the vocabulary.
[[nodiscard]] LogitsRow row_of(const tensor::TensorView& logits, std::uint64_t row);

struct Token {
  double logit;
  std::size_t index;
};

/// The best tokens met so far, best first; of equal logits the lowest index is the best.
class BestTokens {
 public:
  explicit BestTokens(std::size_t room) : room_(room) { tokens_.reserve(room + 1); }

  void clear() { tokens_.clear(); }
  /// Tokens come by ascending index.
  void offer(double logit, std::size_t index);
  [[nodiscard]] bool full() const { return tokens_.size() == room_; }
  [[nodiscard]] double worst() const { return tokens_.back().logit; }
  /// Between the two best logits; infinite where there is one alone.
  [[nodiscard]] double gap() const;
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }

 private:
  std::size_t room_;
  std::vector<Token> tokens_;
};

/// Fills `best`; false for a row with NaN or +Inf or without any finite logit, which has no softmax
/// (`best` is unspecified then).
[[nodiscard]] bool find_best_tokens(const LogitsRow& row, BestTokens& best);

struct SoftmaxDistance {
  double kl = 0;                  ///< KL(reference || candidate), nat
  double kl_reverse = 0;          ///< nat
  double max_logprob_change = 0;  ///< nat, over tokens finite on both sides
};

/// Of rows of equal vocabulary that find_best_tokens takes, with their largest logits.
[[nodiscard]] SoftmaxDistance softmax_distance(Reference<LogitsRow> reference,
                                               Candidate<LogitsRow> candidate,
                                               Reference<double> reference_largest,
                                               Candidate<double> candidate_largest);

}  // namespace parity::compare
