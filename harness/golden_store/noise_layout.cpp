#include "golden_store/noise_layout.h"

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

constexpr const char* kRepeats = "repeats";

void check_figures(const run::NoisyTap& noisy, const std::string& where) {
  std::set<std::string> metrics;
  for (const run::NoiseFigure& figure : noisy.figures) {
    if (figure.metric.empty() || std::isnan(figure.value)) {
      throw Malformed(
          fmt::format("{} has a figure of tap {} without a name or a number", where, noisy.tap));
    }
    if (!metrics.insert(figure.metric).second) {
      throw Malformed(
          fmt::format("{} has two figures {} of tap {}", where, quoted(figure.metric), noisy.tap));
    }
  }
}

void check_noise(const run::NoiseRecord& noise, const std::string& where, std::size_t tap_count) {
  if (noise.repeats < 1) throw Malformed(fmt::format("{} counts no repeats", where));
  std::size_t least = 0;
  for (const run::NoisyTap& noisy : noise.taps) {
    if (noisy.tap < least || noisy.tap >= tap_count) {
      throw Malformed(
          fmt::format("{} names tap {}, which is out of order or not there", where, noisy.tap));
    }
    least = noisy.tap + 1;
    if (noisy.differing < 1 || noisy.differing > noise.repeats) {
      throw Malformed(fmt::format("{} says that tap {} differed in {} of {} repeats", where,
                                  noisy.tap, noisy.differing, noise.repeats));
    }
    check_figures(noisy, where);
  }
}

std::size_t place_of(std::int64_t number, const std::string& where) {
  if (number < 0) throw Malformed(fmt::format("{} names tap {}", where, number));
  return static_cast<std::size_t>(number);
}

}  // namespace

void write_noise(const H5::Group& group, const run::NoiseRecord& noise, std::size_t tap_count) {
  check_noise(noise, "the noise", tap_count);
  std::vector<std::int64_t> taps;
  std::vector<std::int64_t> differing;
  std::vector<std::int64_t> figure_taps;
  std::vector<std::string> metrics;
  std::vector<double> values;
  for (const run::NoisyTap& noisy : noise.taps) {
    taps.push_back(static_cast<std::int64_t>(noisy.tap));
    differing.push_back(noisy.differing);
    for (const run::NoiseFigure& figure : noisy.figures) {
      figure_taps.push_back(taps.back());
      metrics.push_back(figure.metric);
      values.push_back(figure.value);
    }
  }
  TableWriter(group).integers(kRepeats, {noise.repeats});
  const H5::Group taps_group(create_group(group, "taps"));
  const TableWriter tap_table(taps_group);
  tap_table.integers("tap", taps);
  tap_table.integers("differing", differing);
  const H5::Group figures_group(create_group(group, "figures"));
  const TableWriter figure_table(figures_group);
  figure_table.integers("tap", figure_taps);
  figure_table.texts("metric", metrics);
  figure_table.reals("value", values);
}

run::NoiseRecord read_noise(const H5::Group& group, const std::string& where, std::size_t tap_count,
                            std::uint64_t file_bytes) {
  const std::vector<std::int64_t> repeats =
      TableReader(group, where, kRepeats, file_bytes).integers(kRepeats);
  if (repeats.size() != 1) throw Malformed(fmt::format("{} has not one number of repeats", where));
  run::NoiseRecord noise;
  noise.repeats = repeats.front();
  const TableReader tap_table(open_group(group, "taps"), where, "tap", file_bytes);
  const std::vector<std::int64_t> taps = tap_table.integers("tap");
  const std::vector<std::int64_t> differing = tap_table.integers("differing");
  for (std::size_t row = 0; row < tap_table.rows(); ++row)
    noise.taps.push_back({place_of(taps[row], where), differing[row], {}});
  const TableReader figure_table(open_group(group, "figures"), "the figures of " + where, "tap",
                                 file_bytes);
  const std::vector<std::int64_t> figure_taps = figure_table.integers("tap");
  std::vector<std::string> metrics = figure_table.texts("metric");
  const std::vector<double> values = figure_table.reals("value");
  auto noisy = noise.taps.begin();
  for (std::size_t row = 0; row < figure_table.rows(); ++row) {
    const std::size_t place = place_of(figure_taps[row], where);
    while (noisy != noise.taps.end() && noisy->tap != place) ++noisy;
    if (noisy == noise.taps.end())
      throw Malformed(fmt::format("{} has figures of tap {}, which did not differ", where, place));
    noisy->figures.push_back({std::move(metrics[row]), values[row]});
  }
  check_noise(noise, where, tap_count);
  return noise;
}

}  // namespace parity::golden_store
