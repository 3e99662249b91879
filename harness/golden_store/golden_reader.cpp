#include "golden_store/golden_reader.h"

#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <H5Cpp.h>
#include <fmt/format.h>

#include "error/error.h"
#include "golden_store/case_source.h"
#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/hdf5_types.h"
#include "golden_store/header_layout.h"
#include "golden_store/inputs_layout.h"
#include "golden_store/linked_layout.h"
#include "golden_store/noise_layout.h"
#include "golden_store/open_golden.h"
#include "golden_store/read_ahead.h"
#include "golden_store/shard_layout.h"
#include "golden_store/tap_layout.h"
#include "golden_store/temporary_file.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

std::string case_text(std::size_t case_index) { return fmt::format("case {}", case_index); }

/// nullopt for a case without one, as every case of format 1.0 is.
std::optional<run::TruthRecord> read_truth(const H5::Group& of_case, std::size_t index,
                                           std::uint64_t file_bytes) {
  if (H5Lexists(of_case.getId(), kTruth, H5P_DEFAULT) <= 0) return std::nullopt;
  const H5::Group group = open_group(of_case, kTruth);
  const std::string where = "the truth of " + case_text(index);
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
  return read_noise(open_group(of_case, kNoise), "the noise of " + case_text(index), tap_count,
                    file_bytes);
}

run::CaseRecord read_case(const H5::Group& group, const std::string& name, std::size_t index,
                          std::uint64_t file_bytes) {
  run::CaseRecord record;
  record.name = name;
  record.taps =
      read_tap_index(open_group(group, "index"), "the index of " + case_text(index), file_bytes);
  record.skipped = read_skipped(open_group(group, "skipped"),
                                "the skipped taps of " + case_text(index), file_bytes);
  record.notes = read_notes(group, case_text(index), file_bytes);
  record.noise = read_noise_of(group, index, record.taps.size(), file_bytes);
  record.truth = read_truth(group, index, file_bytes);
  return record;
}

/// A case and the file that it is in.
struct CasePlace {
  const OpenGolden* golden;
  std::size_t index;  ///< in that file
  H5::Group group;
};

/// The values of `tap`, which is not of mode digest and number `tap_index` of those in `group`.
CheckedDataSet values_of(const CasePlace& place, const H5::Group& group, const run::TapRecord& tap,
                         std::size_t tap_index, const std::string& where_group) {
  const std::string where =
      fmt::format("the tap {} of {}", quoted(run::to_string(tap.id)), where_group);
  CheckedDataSet dataset(open_group(group, "taps"), numbered(tap_index), place.golden->size_bytes(),
                         where);
  if (dataset.shape() != run::stored_shape(tap)) {
    throw Malformed(fmt::format("{} is stored as {} and listed as {}", where,
                                tensor::to_string(dataset.shape()),
                                tensor::to_string(run::stored_shape(tap))));
  }
  return dataset;
}

tensor::HostTensor read_values(const CasePlace& place, const H5::Group& group,
                               const run::TapRecord& tap, std::size_t tap_index,
                               const std::string& where_group) {
  if (tap.mode == run::StoreMode::digest) return {tap.dtype, {0}, {}};
  const CheckedDataSet dataset = values_of(place, group, tap, tap_index, where_group);
  tensor::HostTensor values = read_tensor(dataset, tap.dtype);
  if (tap.mode == run::StoreMode::full && tensor::digest_of(values.bytes()) != tap.digest) {
    throw Malformed(
        fmt::format("the values of {} do not have the digest that was recorded", dataset.where()));
  }
  return values;
}

// Of two readers, two taps each are no more than the three largest and the ring that a comparison
// may hold.
constexpr std::size_t kMostAheadBytes = std::size_t{128} << 20U;

std::size_t size_bytes_of(const run::TapRecord& tap) {
  return tensor::element_count(tap.shape) * tensor::size_bytes(tap.dtype);
}

/// Where the values of a tap lie, if they lie as they are, have a digest and are worth a thread.
std::optional<Stretch> stretch_of(const CasePlace& place, const run::TapRecord& tap,
                                  std::size_t tap_index, const std::string& where_group) {
  constexpr std::size_t kWorthAThread = std::size_t{256} << 10U;
  const std::size_t size_bytes = size_bytes_of(tap);
  if (tap.mode != run::StoreMode::full || size_bytes < kWorthAThread) return std::nullopt;
  const CheckedDataSet dataset = values_of(place, place.group, tap, tap_index, where_group);
  const std::optional<std::uint64_t> offset = dataset.plain_offset();
  const bool as_listed =
      dataset.size_bytes() == size_bytes && dataset.handle().getDataType() == file_type(tap.dtype);
  if (!offset || !as_listed) return std::nullopt;
  return Stretch{place.golden->sealed().descriptor().number(), *offset, size_bytes, tap.digest};
}

/// That every value which the index lists is there, without reading it.
void check_values(const CasePlace& place, const H5::Group& group,
                  const std::vector<run::TapRecord>& taps, const std::string& where_group) {
  for (std::size_t i = 0; i < taps.size(); ++i) {
    if (taps[i].mode != run::StoreMode::digest)
      static_cast<void>(values_of(place, group, taps[i], i, where_group));
  }
}

std::string named_case(const run::CaseRecord& record) { return "case " + quoted(record.name); }
std::string named_truth(const run::CaseRecord& record) {
  return "the truth of " + named_case(record);
}

/// The files that a golden of links names, each the very one that was linked.
std::vector<std::unique_ptr<OpenGolden>> open_linked(const std::filesystem::path& golden,
                                                     const std::vector<LinkedFile>& files) {
  std::vector<std::unique_ptr<OpenGolden>> opened;
  for (const LinkedFile& file : files) {
    const std::filesystem::path path = linked_path(golden).parent_path() / file.name;
    try {
      opened.push_back(guarded(Access::reading, path.string(),
                               [&] { return std::make_unique<OpenGolden>(path); }));
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{} is made of links to the shards beside it: {}",
                                            golden.string(), error.what()));
    }
    const UserBlock& seal = opened.back()->sealed().seal();
    if (seal.body_bytes != file.body_bytes || seal.body_digest != file.body_digest) {
      throw Malformed(fmt::format(
          "it is made of links, and {} beside it is no longer the file that was linked (another "
          "digest); put that one back or merge again",
          quoted(file.name)));
    }
  }
  return opened;
}

}  // namespace

struct GoldenReader::State {
  std::unique_ptr<OpenGolden> own;
  std::vector<std::unique_ptr<OpenGolden>> linked;  ///< empty where it holds its cases itself
  std::vector<CasePlace> places;
  run::RecordingHeader header;
  std::vector<run::CaseRecord> cases;
  std::optional<run::ShardRecord> shard;
  std::optional<ReadAhead> ahead{std::in_place};
  std::pair<std::size_t, std::size_t> last;  ///< case and tap that would follow the one read last

  explicit State(const std::filesystem::path& golden) : own(std::make_unique<OpenGolden>(golden)) {
    read_all_but_values();
  }
  ~State() {
    ahead.reset();
    const Hdf5Session session;
    places.clear();
    linked.clear();
    own.reset();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void read_all_but_values();
  void read_cases(const H5::Group& root);
  void begin(std::size_t case_index, std::size_t tap_index);
};

/// Reads ahead where it can; what is wrong with a tap is said when it is asked for.
void GoldenReader::State::begin(std::size_t case_index, std::size_t tap_index) {
  const run::CaseRecord& record = cases.at(case_index);
  try {
    const auto stretch =
        stretch_of(places.at(case_index), record.taps.at(tap_index), tap_index, named_case(record));
    if (stretch) ahead->start({case_index, tap_index}, *stretch);
  } catch (const Malformed&) {
  } catch (const H5::Exception&) {
  } catch (const std::bad_alloc&) {
  }
}

void GoldenReader::State::read_all_but_values() {
  const H5::Group root = own->file().openGroup("/");
  header = read_header(root, own->size_bytes());
  read_cases(root);
  shard = read_shard(root, cases.size(), own->size_bytes());
}

void GoldenReader::State::read_cases(const H5::Group& root) {
  const std::vector<std::string> names =
      TableReader(root, "the file", "case_names", own->size_bytes()).texts("case_names");
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw Malformed("two of its cases have the same name");
  }
  const H5::Group all_cases = open_group(root, "cases");
  const std::vector<LinkedFile> files = read_linked_files(root, own->size_bytes());
  linked = open_linked(own->path(), files);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) throw Malformed("one of its cases has no name");
    if (files.empty()) {
      places.push_back({own.get(), i, open_group(all_cases, numbered(i))});
    } else {
      const CaseLink link = read_case_link(all_cases, numbered(i), files);
      const OpenGolden& golden = *linked[link.file];
      const H5::Group their_cases = open_group(golden.file().openGroup("/"), "cases");
      places.push_back(
          {&golden, link.case_index, open_group(their_cases, numbered(link.case_index))});
    }
    const CasePlace& place = places.back();
    cases.push_back(read_case(place.group, names[i], i, place.golden->size_bytes()));
  }
}

GoldenReader::GoldenReader(const std::filesystem::path& path)
    : state_(
          guarded(Access::reading, path.string(), [&] { return std::make_unique<State>(path); })) {}

GoldenReader::~GoldenReader() = default;
GoldenReader::GoldenReader(GoldenReader&&) noexcept = default;
GoldenReader& GoldenReader::operator=(GoldenReader&&) noexcept = default;

const std::filesystem::path& GoldenReader::path() const { return state_->own->path(); }
const run::RecordingHeader& GoldenReader::header() const { return state_->header; }
const std::vector<run::CaseRecord>& GoldenReader::cases() const { return state_->cases; }
const std::optional<run::ShardRecord>& GoldenReader::shard() const { return state_->shard; }

CaseSource GoldenReader::source_of(std::size_t case_index) const {
  const CasePlace& place = state_->places.at(case_index);
  const run::CaseRecord& record = state_->cases.at(case_index);
  guarded(Access::reading, place.golden->path().string(), [&] {
    check_values(place, place.group, record.taps, named_case(record));
    if (!record.truth) return;
    check_values(place, open_group(place.group, kTruth), record.truth->taps, named_truth(record));
  });
  return {*place.golden, place.index};
}

tensor::Value GoldenReader::read_inputs(std::size_t case_index) const {
  const CasePlace& place = state_->places.at(case_index);
  return guarded(Access::reading, place.golden->path().string(), [&] {
    return golden_store::read_inputs(open_group(place.group, "inputs"),
                                     "the inputs of " + case_text(case_index),
                                     place.golden->size_bytes());
  });
}

tensor::HostTensor GoldenReader::read_tap(std::size_t case_index, std::size_t tap_index) const {
  const run::CaseRecord& record = state_->cases.at(case_index);
  const CasePlace& place = state_->places.at(case_index);
  return guarded(Access::reading, place.golden->path().string(), [&] {
    const run::TapRecord& tap = record.taps.at(tap_index);
    tensor::HostTensor values;
    if (ReadAhead::Bytes bytes = state_->ahead->take({case_index, tap_index})) {
      const std::span<std::byte> span(bytes.get(), size_bytes_of(tap));
      values = {tap.dtype, tap.shape, span, std::move(bytes)};
    } else {
      values = read_values(place, place.group, tap, tap_index, named_case(record));
    }
    // Whoever goes through a case asks for the next one next.
    const std::size_t next = tap_index + 1;
    const bool in_order = state_->last == std::pair(case_index, tap_index) || tap_index == 0;
    state_->last = {case_index, next};
    if (next == record.taps.size() || size_bytes_of(record.taps[next]) > kMostAheadBytes) {
      state_->ahead->release();
    } else if (in_order) {
      state_->begin(case_index, next);
    }
    return values;
  });
}

tensor::HostTensor GoldenReader::read_truth_tap(std::size_t case_index,
                                                std::size_t tap_index) const {
  const run::CaseRecord& record = state_->cases.at(case_index);
  PARITY_CHECK(record.truth.has_value());
  const CasePlace& place = state_->places.at(case_index);
  return guarded(Access::reading, place.golden->path().string(), [&] {
    return read_values(place, open_group(place.group, kTruth), record.truth->taps.at(tap_index),
                       tap_index, named_truth(record));
  });
}

}  // namespace parity::golden_store
