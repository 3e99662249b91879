#include "golden_store/golden_writer.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>
#include <vector>

#include <H5Cpp.h>
#include <fmt/format.h>

#include "error/error.h"
#include "golden_store/case_source.h"
#include "golden_store/columns.h"
#include "golden_store/descriptor_driver.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/hdf5_types.h"
#include "golden_store/header_layout.h"
#include "golden_store/inputs_layout.h"
#include "golden_store/linked_layout.h"
#include "golden_store/noise_layout.h"
#include "golden_store/output_place.h"
#include "golden_store/sealed_file.h"
#include "golden_store/shard_layout.h"
#include "golden_store/tap_layout.h"
#include "golden_store/temporary_file.h"
#include "golden_store/tensor_io.h"
#include "golden_store/user_block.h"
#include "tensor/shape.h"

namespace parity::golden_store {
namespace {

enum class Stage { between_cases, in_case, in_truth, finished, failed };

/// The case or the truth that taps are added to.
struct OpenTaps {
  H5::Group group;
  H5::Group taps;
  std::vector<run::TapRecord>* index;
  std::set<std::string> keys;
};

/// Every HDF5 object that stays open between calls.
struct Handles {
  H5::H5File file;
  H5::Group root;
  H5::Group cases;
  std::unique_ptr<OpenTaps> open_taps;
};

H5::H5File create_file(DriverTarget& target, const std::string& name) {
  const H5::FileCreatPropList creation;
  creation.setUserblock(kUserBlockBytes);
  checked(H5Pset_obj_track_times(creation.getId(), false), "H5Pset_obj_track_times");
  return {name, H5F_ACC_TRUNC, creation, target.access_properties()};
}

/// As run::ModelDescription asks for, and readers insist on.
bool is_sorted_and_unique(const std::vector<run::WeightDigest>& weights) {
  return std::adjacent_find(weights.begin(), weights.end(),
                            [](const auto& before, const auto& after) {
                              return before.name >= after.name;
                            }) == weights.end();
}

void write_signature(const H5::Group& root) {
  // For people and tools that meet the file; readers go by the user block.
  const std::string text = fmt::format("parity-golden {}.{}", kMajorVersion, kMinorVersion);
  const H5::StrType type(text_type(text.size() + 1));
  const H5::DataSpace space(H5S_SCALAR);
  H5::Attribute attribute(root.createAttribute("format", type, space));
  attribute.write(type, text.c_str());
  attribute.close();
}

}  // namespace

struct GoldenWriter::State {
  std::string name;
  std::filesystem::path path;
  WriteOptions options;
  TemporaryFile file;
  DriverTarget target;
  std::unique_ptr<Handles> handles;
  std::vector<std::string> case_names;
  std::vector<std::vector<run::TapRecord>> case_taps;
  std::vector<run::TapRecord> truth_taps;  ///< of the open truth
  std::vector<LinkedFile> linked_files;    ///< that cases are linked to
  std::uint64_t tap_count = 0;
  Stage stage = Stage::between_cases;

  State(const std::filesystem::path& golden, const WriteOptions& write_options)
      : name(golden.string()),
        path(golden),
        options(write_options),
        file(refusing_other_files(golden)),
        target(file.descriptor()) {}
  ~State() { give_up(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void give_up() noexcept {
    const Hdf5Session session;
    target.stop_writing(ECANCELED);
    handles.reset();
    file.discard();
  }

  /// Runs `work`; a failure in it is the end of this file.
  template <typename Work>
  void change(Work work) {
    try {
      run_and_check(work);
    } catch (...) {
      stage = Stage::failed;
      give_up();
      throw;
    }
  }

  /// HDF5 is not told of writes that fail, so what it does and says after one counts for nothing.
  template <typename Work>
  void run_and_check(Work work) {
    try {
      guarded(Access::writing, name, work);
    } catch (const Error&) {
      if (!target.failure()) throw;
    }
    if (target.failure()) file.throw_failed("write", *target.failure());
  }

  void create();
  void add_case_name(const std::string& case_name);
  void take_over(const run::CaseRecord& record);
  void copy_case(const CaseSource& source, const run::CaseRecord& record);
  void link_case(const CaseSource& source, const run::CaseRecord& record);
  void begin_case(const std::string& case_name, const tensor::Value& inputs);
  void add_tap(const run::TapRecord& tap, std::span<const std::byte> stored);
  void add_noise(const run::NoiseRecord& noise) const;
  void end_case(const std::vector<run::SkippedTap>& skipped, const std::vector<std::string>& notes);
  [[nodiscard]] tensor::HostTensor read_back(std::size_t case_index, std::size_t tap_index) const;
  void begin_truth(std::size_t case_index, tensor::DType dtype);
  void end_truth(const std::vector<std::string>& notes,
                 const std::vector<double>& introduced_nrmse);
  void finish_taps(const std::vector<std::string>& notes);
  void close(const run::RecordingHeader& header, const std::optional<run::ShardRecord>& shard);
  void seal();
};

void GoldenWriter::State::create() {
  const H5::H5File created(create_file(target, name));
  const H5::Group root(created.openGroup("/"));
  write_signature(root);
  const H5::Group cases(create_group(root, "cases"));
  handles = std::make_unique<Handles>(Handles{created, root, cases, nullptr});
}

void GoldenWriter::State::add_case_name(const std::string& case_name) {
  if (case_name.empty()) throw Malformed("a case needs a name");
  if (std::find(case_names.begin(), case_names.end(), case_name) != case_names.end()) {
    throw Malformed(fmt::format("two cases are named {}", quoted(case_name)));
  }
  case_names.push_back(case_name);
}

/// The values stay where they are, or were copied.
void GoldenWriter::State::take_over(const run::CaseRecord& record) {
  add_case_name(record.name);
  case_taps.push_back(record.taps);
  tap_count += record.taps.size();
}

void GoldenWriter::State::copy_case(const CaseSource& source, const run::CaseRecord& record) {
  if (!linked_files.empty()) throw Malformed("its other cases are links");
  const std::string number = numbered(case_names.size());
  const H5::Group their_cases = open_group(source.golden.file().openGroup("/"), "cases");
  checked(H5Ocopy(their_cases.getId(), numbered(source.index).c_str(), handles->cases.getId(),
                  number.c_str(), H5P_DEFAULT, H5P_DEFAULT),
          "H5Ocopy");
  take_over(record);
}

void GoldenWriter::State::link_case(const CaseSource& source, const run::CaseRecord& record) {
  if (linked_files.empty() && !case_names.empty()) throw Malformed("its other cases are no links");
  const std::string file_name = source.golden.path().filename().string();
  write_case_link(handles->cases, numbered(case_names.size()), file_name, source.index);
  const auto is_known = [&](const LinkedFile& one) { return one.name == file_name; };
  if (std::none_of(linked_files.begin(), linked_files.end(), is_known)) {
    const UserBlock& seal = source.golden.sealed().seal();
    linked_files.push_back({file_name, seal.body_bytes, seal.body_digest});
  }
  take_over(record);
}

void GoldenWriter::State::begin_case(const std::string& case_name, const tensor::Value& inputs) {
  if (!linked_files.empty()) throw Malformed("its other cases are links");
  const std::string number = numbered(case_names.size());
  add_case_name(case_name);
  const H5::Group group(create_group(handles->cases, number));
  const H5::Group taps(create_group(group, "taps"));
  const H5::Group inputs_group(create_group(group, "inputs"));
  write_inputs(inputs_group, inputs, options.compression);
  case_taps.emplace_back();
  handles->open_taps = std::make_unique<OpenTaps>(OpenTaps{group, taps, &case_taps.back(), {}});
}

void GoldenWriter::State::add_tap(const run::TapRecord& tap, std::span<const std::byte> stored) {
  OpenTaps& open = *handles->open_taps;
  check_tap(tap);
  if (!open.keys.insert(unique_key(tap.id)).second) {
    throw Malformed(fmt::format("the tap {} came twice", quoted(run::to_string(tap.id))));
  }
  if (tap.mode != run::StoreMode::digest) {
    write_tensor(open.taps, numbered(open.index->size()),
                 {tap.dtype, run::stored_shape(tap), stored}, options.compression);
  }
  open.index->push_back(tap);
  ++tap_count;
}

void GoldenWriter::State::add_noise(const run::NoiseRecord& noise) const {
  const H5::Group group(create_group(handles->open_taps->group, kNoise));
  write_noise(group, noise, handles->open_taps->index->size());
}

tensor::HostTensor GoldenWriter::State::read_back(std::size_t case_index,
                                                  std::size_t tap_index) const {
  const run::TapRecord& tap = case_taps[case_index][tap_index];
  if (tap.mode == run::StoreMode::digest) return {tap.dtype, {0}, {}};
  const H5::Group of_case(handles->cases.openGroup(numbered(case_index)));
  const H5::Group values(of_case.openGroup("taps"));
  return read_written_tensor(values, numbered(tap_index), tap.dtype, run::stored_shape(tap));
}

void GoldenWriter::State::end_case(const std::vector<run::SkippedTap>& skipped,
                                   const std::vector<std::string>& notes) {
  const H5::Group skipped_group(create_group(handles->open_taps->group, "skipped"));
  write_skipped(skipped_group, skipped);
  finish_taps(notes);
}

void GoldenWriter::State::begin_truth(std::size_t case_index, tensor::DType dtype) {
  const H5::Group of_case(handles->cases.openGroup(numbered(case_index)));
  const H5::Group group(create_group(of_case, kTruth));
  TableWriter(group).texts(kTruthDtype, {std::string(tensor::name(dtype))});
  const H5::Group taps(create_group(group, "taps"));
  truth_taps.clear();
  handles->open_taps = std::make_unique<OpenTaps>(OpenTaps{group, taps, &truth_taps, {}});
}

void GoldenWriter::State::end_truth(const std::vector<std::string>& notes,
                                    const std::vector<double>& introduced_nrmse) {
  if (!introduced_nrmse.empty()) {
    if (introduced_nrmse.size() != truth_taps.size())
      throw Malformed("the truth has another number of introduced errors than of taps");
    TableWriter(handles->open_taps->group).reals(kTruthIntroduced, introduced_nrmse);
  }
  finish_taps(notes);
}

void GoldenWriter::State::finish_taps(const std::vector<std::string>& notes) {
  OpenTaps& open = *handles->open_taps;
  const H5::Group index(create_group(open.group, "index"));
  write_tap_index(index, *open.index);
  write_notes(open.group, notes);
  open.taps.close();
  open.group.close();
  handles->open_taps.reset();
}

void GoldenWriter::State::close(const run::RecordingHeader& header,
                                const std::optional<run::ShardRecord>& shard) {
  if (tap_count == 0 && !shard)
    throw Malformed("no tap was recorded, so there is nothing to compare with later");
  write_header(handles->root, header);
  TableWriter(handles->root).texts("case_names", case_names);
  if (!linked_files.empty()) write_linked_files(handles->root, linked_files);
  if (shard) write_shard(handles->root, *shard, case_names.size());
  handles->cases.close();
  handles->root.close();
  handles->file.close();
  handles.reset();
}

void GoldenWriter::State::seal() {
  file.start_sync();
  UserBlock block;
  block.body_bytes = file.size_bytes() - kUserBlockBytes;
  block.body_digest = digest_of_range(file.descriptor(), kUserBlockBytes, block.body_bytes);
  file.write_at(0, encode(block));
  file.publish();
}

GoldenWriter::GoldenWriter(std::filesystem::path path, const WriteOptions& options)
    : state_(std::make_unique<State>(path, options)) {
  PARITY_CHECK(!options.compression || run::is_possible(*options.compression));
  state_->change([&] { state_->create(); });
}

GoldenWriter::~GoldenWriter() = default;

void GoldenWriter::begin_case(const std::string& name, const tensor::Value& inputs) {
  PARITY_CHECK(state_->stage == Stage::between_cases);
  state_->change([&] { state_->begin_case(name, inputs); });
  state_->stage = Stage::in_case;
}

void GoldenWriter::add_tap(const run::TapRecord& tap, std::span<const std::byte> stored) {
  PARITY_CHECK(state_->stage == Stage::in_case || state_->stage == Stage::in_truth);
  PARITY_CHECK(stored.size() ==
               tensor::element_count(run::stored_shape(tap)) * tensor::size_bytes(tap.dtype));
  state_->change([&] { state_->add_tap(tap, stored); });
}

void GoldenWriter::add_noise(const run::NoiseRecord& noise) {
  PARITY_CHECK(state_->stage == Stage::in_case);
  state_->change([&] { state_->add_noise(noise); });
}

void GoldenWriter::copy_case(const GoldenReader& from, std::size_t case_index) {
  PARITY_CHECK(state_->stage == Stage::between_cases);
  state_->change(
      [&] { state_->copy_case(from.source_of(case_index), from.cases().at(case_index)); });
}

void GoldenWriter::link_case(const GoldenReader& from, std::size_t case_index) {
  PARITY_CHECK(state_->stage == Stage::between_cases);
  if (!is_beside(from.path(), state_->path)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is not in the folder of {}, and a golden of links names files "
                            "beside it; write it there, or merge without --link",
                            from.path().string(), state_->name));
  }
  state_->change(
      [&] { state_->link_case(from.source_of(case_index), from.cases().at(case_index)); });
}

const std::vector<run::TapRecord>& GoldenWriter::taps(std::size_t case_index) const {
  return state_->case_taps.at(case_index);
}

const std::vector<run::TapRecord>& GoldenWriter::truth_taps() const {
  PARITY_CHECK(state_->stage == Stage::in_truth);
  return state_->truth_taps;
}

tensor::HostTensor GoldenWriter::read_back(std::size_t case_index, std::size_t tap_index) {
  PARITY_CHECK(state_->handles != nullptr);
  PARITY_CHECK(tap_index < state_->case_taps.at(case_index).size());
  tensor::HostTensor values;
  state_->change([&] { values = state_->read_back(case_index, tap_index); });
  return values;
}

void GoldenWriter::end_case(const std::vector<run::SkippedTap>& skipped,
                            const std::vector<std::string>& notes) {
  PARITY_CHECK(state_->stage == Stage::in_case);
  state_->change([&] { state_->end_case(skipped, notes); });
  state_->stage = Stage::between_cases;
}

void GoldenWriter::begin_truth(std::size_t case_index, tensor::DType dtype) {
  PARITY_CHECK(state_->stage == Stage::between_cases);
  PARITY_CHECK(case_index < state_->case_names.size());
  state_->change([&] { state_->begin_truth(case_index, dtype); });
  state_->stage = Stage::in_truth;
}

void GoldenWriter::end_truth(const std::vector<std::string>& notes,
                             const std::vector<double>& introduced_nrmse) {
  PARITY_CHECK(state_->stage == Stage::in_truth);
  state_->change([&] { state_->end_truth(notes, introduced_nrmse); });
  state_->stage = Stage::between_cases;
}

void GoldenWriter::finish(const run::RecordingHeader& header,
                          const std::optional<run::ShardRecord>& shard) {
  PARITY_CHECK(state_->stage == Stage::between_cases);
  PARITY_CHECK(is_sorted_and_unique(header.model.weights));
  state_->change([&] { state_->close(header, shard); });
  state_->change([&] { state_->seal(); });
  state_->stage = Stage::finished;
}

}  // namespace parity::golden_store
