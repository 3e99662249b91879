#include "report/terminal/tap_rows.h"

#include <fmt/format.h>

#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

/// Up to here every value has a bin of its own, so that a quantile from the histogram is exact.
constexpr double kExactUlp = 2;

std::string quantile(double value, const compare::Quantiles& quantiles, double exact_up_to,
                     std::string (*format)(double)) {
  const bool approximate = quantiles.approximate && value > exact_up_to;
  return fmt::format("{}{}", approximate ? "~" : "", format(value));
}

std::string dtype_text(const Tap& tap) {
  if (tap.candidate_dtype.empty() || tap.candidate_dtype == tap.dtype) return tap.dtype;
  return fmt::format("{}/{}", tap.dtype, tap.candidate_dtype);
}

std::string shape_text(const Tap& tap) {
  if (!tap.shapes) return tensor::to_string(tap.shape);
  return fmt::format("{}/{}", tensor::to_string(tap.shapes->reference),
                     tensor::to_string(tap.shapes->candidate));
}

}  // namespace

ExtraColumns extra_columns(const Report& report) {
  return {report.attribution ? Column::present : Column::absent,
          report.truth ? Column::present : Column::absent};
}

std::vector<std::string> tap_figures(const compare::TensorComparison& facts) {
  const compare::Quantiles& ulp = facts.ulp.quantiles;
  const compare::Quantiles& relative = facts.relative.quantiles;
  return {quantile(ulp.p50, ulp, kExactUlp, short_count),
          quantile(ulp.p99, ulp, kExactUlp, short_count),
          short_count(static_cast<double>(facts.ulp.max)),
          quantile(relative.p99, relative, 0, short_number),
          short_number(facts.relative.max),
          percent(facts.exact_share),
          short_number(facts.nrmse)};
}

std::vector<ColumnSpec> tap_columns(const ExtraColumns& extra) {
  std::vector<ColumnSpec> columns = {{"layer", Align::left, 100},   {"dtype", Align::left, 45},
                                     {"shape", Align::left, 40},    {"ulp p50", Align::right, 20},
                                     {"ulp p99", Align::right, 60}, {"ulp max", Align::right, 80},
                                     {"rel p99", Align::right, 25}, {"rel max", Align::right, 30},
                                     {"exact %", Align::right, 55}, {"nrmse", Align::right, 90}};
  if (extra.introduced == Column::present) columns.push_back({"introduced", Align::right, 95});
  if (extra.truth == Column::present) columns.push_back({"to truth", Align::right, 96});
  columns.push_back({"verdict", Align::left, 99});
  columns.push_back({"ulp hist", Align::left, 10});
  return columns;
}

std::size_t histogram_column(const ExtraColumns& extra) { return tap_columns(extra).size() - 1; }

std::string tap_name(const run::TapId& id) {
  const std::string name = clean(run::to_string(id));
  return id.path.empty() ? fmt::format("(root){}", name) : name;
}

Row tap_row(const Tap& tap, IsFirstDivergence first, const ExtraColumns& extra) {
  Row row;
  row.mark = first == IsFirstDivergence::yes ? "→" : "";
  const Tone tone = tone_of(tap.verdict);
  row.cells = {{tap_name(tap.id), first == IsFirstDivergence::yes ? Tone::strong : Tone::plain},
               {clean(dtype_text(tap))},
               {shape_text(tap)}};
  const std::vector<std::string> shown =
      tap.facts ? tap_figures(*tap.facts) : std::vector<std::string>(7, "-");
  for (const std::string& figure : shown) row.cells.push_back({figure});
  if (extra.introduced == Column::present)
    row.cells.push_back({tap.introduced ? short_number(tap.introduced->nrmse) : "-"});
  if (extra.truth == Column::present)
    row.cells.push_back({tap.truth ? short_number(tap.truth->ratio) : "-"});
  row.cells.push_back({std::string(run::name(tap.verdict)), tone});
  row.cells.push_back({tap.facts ? sparkline(tap.facts->ulp.histogram) : "-"});
  return row;
}

}  // namespace parity::report
