#include "fault/value_faults.h"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "compare/formats.h"
#include "fault/element_moves.h"
#include "fault/logits_faults.h"
#include "fault/numbers.h"
#include "fault/value_changes.h"

namespace parity::fault {
namespace {

using tensor::DType;

Spoilt done(tensor::HostTensor value) { return {std::move(value), {}}; }
Spoilt cannot(std::string reason) { return {std::nullopt, std::move(reason)}; }

std::size_t middle(const Subject& subject) { return number_count(subject.value.view()) / 2; }

DType number_dtype(const Subject& subject) { return tensor::component(subject.value.dtype()); }

/// `value` as a number of the subject's dtype, if it has it.
bool holds(const Subject& subject, double value) {
  const DType dtype = number_dtype(subject);
  if (tensor::is_integral(dtype)) return false;
  const double stored = rounded_to(dtype, value);
  return std::isnan(value) ? std::isnan(stored) : stored == value;
}

Spoilt one_special(const Subject& subject, double value, std::string_view what) {
  if (!holds(subject, value))
    return cannot(fmt::format("{} has no {}", tensor::name(subject.value.dtype()), what));
  return done(with_number(subject.value.view(), middle(subject), value));
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Spoilt nan_element(const Subject& subject) { return one_special(subject, kNaN, "NaN"); }
Spoilt inf_element(const Subject& subject) { return one_special(subject, kInf, "Inf"); }

Spoilt all_nan(const Subject& subject) {
  if (!holds(subject, kNaN))
    return cannot(fmt::format("{} has no NaN", tensor::name(subject.value.dtype())));
  return done(filled(subject.value.view(), kNaN));
}

Spoilt all_zero(const Subject& subject) { return done(filled(subject.value.view(), 0)); }

Spoilt constant(const Subject& subject) {
  return done(gathered(subject.value.view(), [](std::size_t) { return std::size_t{0}; }));
}

Spoilt zero_element(const Subject& subject) {
  const tensor::TensorView view = subject.value.view();
  return done(with_number(view, largest_place(view), 0));
}

Spoilt zero_row(const Subject& subject) {
  const tensor::TensorView view = subject.value.view();
  const Rows rows = rows_of(view.shape);
  const std::size_t width = number_count(view) / rows.count;
  const std::size_t row = rows.count / 2;
  return done(changed(view, [&](std::span<double> numbers, std::size_t first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if ((first + i) / width == row) numbers[i] = 0;
    }
  }));
}

Spoilt zero_last_third(const Subject& subject) {
  const tensor::TensorView view = subject.value.view();
  const std::size_t count = number_count(view);
  const std::size_t start = count - (count + 2) / 3;
  return done(changed(view, [&](std::span<double> numbers, std::size_t first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (first + i >= start) numbers[i] = 0;
    }
  }));
}

Spoilt halved(const Subject& subject) { return done(scaled(subject.value.view(), 0.5)); }
Spoilt doubled(const Subject& subject) { return done(scaled(subject.value.view(), 2)); }
Spoilt scaled_slightly(const Subject& subject) { return done(scaled(subject.value.view(), 1.01)); }
Spoilt sign_flipped(const Subject& subject) { return done(scaled(subject.value.view(), -1)); }

Spoilt scaled_column(const Subject& subject) {
  const tensor::TensorView view = subject.value.view();
  const Rows rows = rows_of(view.shape);
  if (rows.width < 2) return cannot("its rows have one element");
  return done(with_scaled_column(view, rows.width / 2, 2));
}

Spoilt offset(const Subject& subject) {
  const double rms = rms_of(subject.value.view());
  return done(moved(subject.value.view(), rms > 0 ? rms : 1));
}

Spoilt shifted_elements(const Subject& subject) { return done(shifted(subject.value.view())); }

Spoilt shifted_rows(const Subject& subject) {
  if (rows_of(subject.value.shape()).count < 2) return cannot("it has one row");
  return done(rows_shifted(subject.value.view()));
}

Spoilt swapped_rows(const Subject& subject) {
  const Rows rows = rows_of(subject.value.shape());
  if (rows.count < 2) return cannot("it has one row");
  return done(rows_swapped(subject.value.view(), 0, rows.count - 1));
}

Spoilt permuted_elements(const Subject& subject) { return done(permuted(subject.value.view())); }

Spoilt transposed_elements(const Subject& subject) {
  const tensor::Shape& shape = subject.value.shape();
  if (shape.size() < 2 || shape.back() < 2 || shape[shape.size() - 2] < 2)
    return cannot("it has no two dimensions to exchange");
  return done(transposed(subject.value.view()));
}

Spoilt stale(const Subject& subject) {
  if (subject.earlier == nullptr) return cannot("no tap of its shape and dtype comes before it");
  return done(*subject.earlier);
}

Spoilt clamped_values(const Subject& subject) {
  return done(clamped(subject.value.view(), rms_of(subject.value.view())));
}

Spoilt truncated(const Subject& subject) {
  const int bits = tensor::significand_bits(number_dtype(subject));
  constexpr int kFloat64Bits = 53;
  constexpr int kFloat32Bits = 24;
  constexpr int kFloat16Bits = 11;
  constexpr int kBfloat16Bits = 8;
  constexpr int kFloat8Bits = 4;
  if (bits == kFloat64Bits) return done(cut_to_bits(subject.value.view(), kFloat32Bits));
  if (bits == kFloat32Bits || bits == kFloat16Bits)
    return done(cut_to_bits(subject.value.view(), kBfloat16Bits));
  if (bits == kBfloat16Bits) return done(cut_to_bits(subject.value.view(), kFloat8Bits));
  return cannot(fmt::format("{} has no precision to lose", tensor::name(subject.value.dtype())));
}

Spoilt flushed_subnormals(const Subject& subject) { return done(flushed(subject.value.view())); }

Spoilt spike(const Subject& subject) {
  constexpr double kOverRms = 1000;
  const double rms = rms_of(subject.value.view());
  if (rms == 0) return cannot("it is 0 everywhere");
  return done(with_spike(subject.value.view(), kOverRms));
}

/// The highest bit of the exponent, of a number that becomes huge by it.
Spoilt exponent_bit(const Subject& subject) {
  const tensor::TensorView view = subject.value.view();
  const DType dtype = number_dtype(subject);
  if (tensor::is_integral(dtype)) return cannot("an integer has no exponent");
  const std::size_t count = number_count(view);
  std::size_t place = middle(subject);
  for (std::size_t tried = 0; tried < count; ++tried) {
    const double size = std::fabs(number_at(view, (place + tried) % count));
    if (size >= 1 || size == 0 || !std::isfinite(size)) continue;
    place = (place + tried) % count;
    break;
  }
  const auto top = static_cast<unsigned>(8 * tensor::size_bytes(dtype) - 2);
  return done(with_bit_flipped(view, place, top));
}

Spoilt one_step(const Subject& subject) {
  const tensor::TensorView view = subject.value.view();
  const DType dtype = number_dtype(subject);
  if (!tensor::is_integral(dtype)) return cannot("one step of a float is rounding");
  if (dtype == DType::boolean) return done(with_bit_flipped(view, middle(subject), 0));
  const double value = number_at(view, middle(subject));
  return done(with_number(view, middle(subject), value > 0 ? value - 1 : value + 1));
}

Spoilt flipped_choice(const Subject& subject) {
  if (!subject.is_logits || tensor::is_integral(subject.value.dtype()) ||
      tensor::is_complex(subject.value.dtype()))
    return cannot("it holds no logits");
  const std::optional<Choice> choice = clearest_choice(subject.value.view());
  if (!choice || choice->gap < kDecidedGap) {
    return cannot(fmt::format("at no position are the two best logits {:g} apart", kDecidedGap));
  }
  return done(with_choice_flipped(subject.value.view(), *choice));
}

constexpr auto kFaults = std::to_array<ValueFault>({
    {"nan_element", "one element is NaN", nan_element},
    {"inf_element", "one element is Inf", inf_element},
    {"all_nan", "every element is NaN", all_nan},
    {"all_zero", "every element is 0", all_zero},
    {"constant", "every element has the value of the first", constant},
    {"zero_element", "the largest element is 0", zero_element},
    {"zero_row", "the row in the middle is 0", zero_row},
    {"zero_last_third", "the last third of the elements is 0", zero_last_third},
    {"halved", "every element times 0.5", halved},
    {"doubled", "every element times 2", doubled},
    {"scaled_slightly", "every element times 1.01", scaled_slightly},
    {"scaled_column", "one index of the last dimension times 2", scaled_column},
    {"offset", "the rms of the tap added to every element", offset},
    {"sign_flipped", "every sign turned round", sign_flipped},
    {"shifted", "every element has the value of the one before", shifted_elements},
    {"rows_shifted", "every row has the values of the one before: another position's",
     shifted_rows},
    {"rows_swapped", "the first and the last row exchanged", swapped_rows},
    {"permuted", "the same values in another order", permuted_elements},
    {"transposed", "the last two dimensions exchanged", transposed_elements},
    {"stale", "the values of the tap of this shape before it", stale},
    {"clamped", "every element brought between minus and plus the rms", clamped_values},
    {"truncated", "rounded to a coarser dtype's precision", truncated},
    {"flushed", "subnormal numbers are 0", flushed_subnormals},
    {"spike", "1000 times the rms added to one element", spike},
    {"exponent_bit", "the highest bit of one exponent turned round", exponent_bit},
    {"one_step", "one integer is off by 1, or one bool turned round", one_step},
    {"flipped_choice", "the two best logits of a decided position exchanged", flipped_choice,
     Severity::always_gross},
});

}  // namespace

std::span<const ValueFault> value_faults() { return kFaults; }

DType other_dtype(DType dtype) {
  switch (dtype) {
    case DType::complex64:
      return DType::complex128;
    case DType::complex128:
      return DType::complex64;
    case DType::float32:
      return DType::bfloat16;
    case DType::int32:
      return DType::int64;
    default:
      return tensor::is_integral(dtype) ? DType::int32 : DType::float32;
  }
}

}  // namespace parity::fault
