#include "fault/logits_faults.h"

#include <cmath>

#include "fault/element_moves.h"
#include "fault/numbers.h"

namespace parity::fault {
namespace {

/// Goes through logits in order and keeps the clearest row.
class ChoiceSearch {
 public:
  explicit ChoiceSearch(std::size_t width) : width_(width) {}

  void add(double logit, std::size_t place) {
    const std::size_t column = place % width_;
    if (column == 0) begin(place / width_);
    if (std::isnan(logit) || logit == HUGE_VAL) usable_ = false;
    if (column == 0 || logit > best_value_) {
      second_value_ = column == 0 ? -HUGE_VAL : best_value_;
      row_.second = row_.best;
      best_value_ = logit;
      row_.best = column;
    } else if (column == 1 || logit > second_value_) {
      second_value_ = logit;
      row_.second = column;
    }
    if (column + 1 == width_) end();
  }

  [[nodiscard]] const std::optional<Choice>& found() const { return found_; }

 private:
  void begin(std::size_t row) {
    row_ = Choice{row, 0, 0, 0};
    usable_ = width_ > 1;
  }
  void end() {
    row_.gap = best_value_ - second_value_;
    if (usable_ && std::isfinite(row_.gap) && (!found_ || row_.gap > found_->gap)) found_ = row_;
  }

  const std::size_t width_;
  Choice row_;
  double best_value_ = 0;
  double second_value_ = 0;
  bool usable_ = false;
  std::optional<Choice> found_;
};

}  // namespace

std::optional<Choice> clearest_choice(const tensor::TensorView& logits) {
  const Rows rows = rows_of(logits.shape);
  if (rows.count == 0) return std::nullopt;
  ChoiceSearch search(rows.width);
  each_block(logits, [&](std::span<const double> numbers, std::size_t first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) search.add(numbers[i], first + i);
  });
  return search.found();
}

tensor::HostTensor with_choice_flipped(const tensor::TensorView& logits, const Choice& choice) {
  const std::size_t start = choice.row * rows_of(logits.shape).width;
  return gathered(logits, [&](std::size_t place) {
    if (place == start + choice.best) return start + choice.second;
    return place == start + choice.second ? start + choice.best : place;
  });
}

}  // namespace parity::fault
