#include "golden_store/golden_reader.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include <H5Cpp.h>
#include <fmt/format.h>

#include "error/error.h"
#include "golden_store/columns.h"
#include "golden_store/descriptor_driver.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/header_layout.h"
#include "golden_store/inputs_layout.h"
#include "golden_store/noise_layout.h"
#include "golden_store/sealed_file.h"
#include "golden_store/tap_layout.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

H5::H5File open_file(DriverTarget& target, const std::string& name) {
  return {name, H5F_ACC_RDONLY, H5::FileCreatPropList::DEFAULT, target.access_properties()};
}

std::string place(std::size_t case_index) { return fmt::format("case {}", case_index); }

/// nullopt for a case without one, as every case of format 1.0 is.
std::optional<run::TruthRecord> read_truth(const H5::Group& of_case, std::size_t index,
                                           std::uint64_t file_bytes) {
  if (H5Lexists(of_case.getId(), kTruth, H5P_DEFAULT) <= 0) return std::nullopt;
  const H5::Group group = open_group(of_case, kTruth);
  const std::string where = "the truth of " + place(index);
  const std::vector<std::string> dtypes =
      TableReader(group, where, kTruthDtype, file_bytes).texts(kTruthDtype);
  if (dtypes.size() != 1) throw Malformed(fmt::format("{} has not one dtype", where));
  const std::optional<tensor::DType> dtype = tensor::dtype_from_name(dtypes.front());
  if (!dtype || !tensor::is_floating(*dtype)) {
    throw Malformed(
        fmt::format("{} has the dtype {}, in which no model runs", where, quoted(dtypes.front())));
  }
  run::TruthRecord truth;
  truth.dtype = *dtype;
  truth.taps = read_tap_index(open_group(group, "index"), "the index of " + where, file_bytes);
  truth.notes = read_notes(group, where, file_bytes);
  if (H5Lexists(group.getId(), kTruthIntroduced, H5P_DEFAULT) > 0) {
    truth.introduced_nrmse =
        TableReader(group, where, kTruthIntroduced, file_bytes).reals(kTruthIntroduced);
    if (truth.introduced_nrmse.size() != truth.taps.size()) {
      throw Malformed(
          fmt::format("{} has another number of introduced errors than of taps", where));
    }
  }
  return truth;
}

/// nullopt for a case that was not repeated, as every case before format 1.2.
std::optional<run::NoiseRecord> read_noise_of(const H5::Group& of_case, std::size_t index,
                                              std::size_t tap_count, std::uint64_t file_bytes) {
  if (H5Lexists(of_case.getId(), kNoise, H5P_DEFAULT) <= 0) return std::nullopt;
  return read_noise(open_group(of_case, kNoise), "the noise of " + place(index), tap_count,
                    file_bytes);
}

run::CaseRecord read_case(const H5::Group& group, const std::string& name, std::size_t index,
                          std::uint64_t file_bytes) {
  run::CaseRecord record;
  record.name = name;
  record.taps =
      read_tap_index(open_group(group, "index"), "the index of " + place(index), file_bytes);
  record.skipped =
      read_skipped(open_group(group, "skipped"), "the skipped taps of " + place(index), file_bytes);
  record.notes = read_notes(group, place(index), file_bytes);
  record.noise = read_noise_of(group, index, record.taps.size(), file_bytes);
  record.truth = read_truth(group, index, file_bytes);
  return record;
}

}  // namespace

struct GoldenReader::State {
  std::filesystem::path path;
  SealedFile sealed;
  DriverTarget target;
  H5::H5File file;
  std::vector<H5::Group> case_groups;
  run::RecordingHeader header;
  std::vector<run::CaseRecord> cases;

  explicit State(const std::filesystem::path& golden)
      : path(golden),
        sealed(golden),
        target(sealed.descriptor()),
        file(open_file(target, golden.string())) {
    read_all_but_values();
  }
  ~State() {
    const Hdf5Session session;
    case_groups.clear();
    H5::H5File closing;
    std::swap(closing, file);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void read_all_but_values();
  /// `group` holds the taps of which `tap` is number `tap_index`.
  [[nodiscard]] tensor::HostTensor read_tap(const H5::Group& group, const run::TapRecord& tap,
                                            std::size_t tap_index, const std::string& where) const;
};

void GoldenReader::State::read_all_but_values() {
  const H5::Group root = file.openGroup("/");
  const std::uint64_t file_bytes = sealed.size_bytes();
  header = read_header(root, file_bytes);
  const std::vector<std::string> names =
      TableReader(root, "the file", "case_names", file_bytes).texts("case_names");
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw Malformed("two of its cases have the same name");
  }
  const H5::Group all_cases = open_group(root, "cases");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) throw Malformed("one of its cases has no name");
    case_groups.push_back(open_group(all_cases, numbered(i)));
    cases.push_back(read_case(case_groups.back(), names[i], i, file_bytes));
  }
}

tensor::HostTensor GoldenReader::State::read_tap(const H5::Group& group, const run::TapRecord& tap,
                                                 std::size_t tap_index,
                                                 const std::string& where_group) const {
  if (tap.mode == run::StoreMode::digest) return {tap.dtype, {0}, {}};
  const std::string where =
      fmt::format("the tap {} of {}", quoted(run::to_string(tap.id)), where_group);
  const CheckedDataSet dataset(open_group(group, "taps"), numbered(tap_index), sealed.size_bytes(),
                               where);
  if (dataset.shape() != run::stored_shape(tap)) {
    throw Malformed(fmt::format("{} is stored as {} and listed as {}", where,
                                tensor::to_string(dataset.shape()),
                                tensor::to_string(run::stored_shape(tap))));
  }
  tensor::HostTensor values = read_tensor(dataset, tap.dtype);
  if (tap.mode == run::StoreMode::full && tensor::digest_of(values.bytes()) != tap.digest) {
    throw Malformed(
        fmt::format("the values of {} do not have the digest that was recorded", where));
  }
  return values;
}

GoldenReader::GoldenReader(const std::filesystem::path& path)
    : state_(
          guarded(Access::reading, path.string(), [&] { return std::make_unique<State>(path); })) {}

GoldenReader::~GoldenReader() = default;
GoldenReader::GoldenReader(GoldenReader&&) noexcept = default;
GoldenReader& GoldenReader::operator=(GoldenReader&&) noexcept = default;

const std::filesystem::path& GoldenReader::path() const { return state_->path; }
const run::RecordingHeader& GoldenReader::header() const { return state_->header; }
const std::vector<run::CaseRecord>& GoldenReader::cases() const { return state_->cases; }

tensor::Value GoldenReader::read_inputs(std::size_t case_index) const {
  return guarded(Access::reading, state_->path.string(), [&] {
    return golden_store::read_inputs(open_group(state_->case_groups.at(case_index), "inputs"),
                                     "the inputs of " + place(case_index),
                                     state_->sealed.size_bytes());
  });
}

tensor::HostTensor GoldenReader::read_tap(std::size_t case_index, std::size_t tap_index) const {
  const run::CaseRecord& record = state_->cases.at(case_index);
  return guarded(Access::reading, state_->path.string(), [&] {
    return state_->read_tap(state_->case_groups.at(case_index), record.taps.at(tap_index),
                            tap_index, "case " + quoted(record.name));
  });
}

tensor::HostTensor GoldenReader::read_truth_tap(std::size_t case_index,
                                                std::size_t tap_index) const {
  const run::CaseRecord& record = state_->cases.at(case_index);
  PARITY_CHECK(record.truth.has_value());
  return guarded(Access::reading, state_->path.string(), [&] {
    return state_->read_tap(open_group(state_->case_groups.at(case_index), kTruth),
                            record.truth->taps.at(tap_index), tap_index,
                            "the truth of case " + quoted(record.name));
  });
}

}  // namespace parity::golden_store
