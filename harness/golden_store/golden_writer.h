// Writes a golden: taps stream in one after the other, nothing looks complete until finish() has
// returned.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden_store/golden_reader.h"
#include "run/compression.h"
#include "run/recording.h"
#include "run/shard.h"
#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::golden_store {

struct WriteOptions {
  std::optional<run::Compression> compression;  ///< nullopt stores plain
};

/// Streams one golden into a temporary file beside `path` and renames it into place in finish().
/// After any failure (thrown as Error(store), or Error(resource) for a full disk) the temporary
/// file is gone and whatever stood at `path` before is untouched; the object only accepts
/// destruction then. A file at `path` that is neither empty nor begins as a golden is refused with
/// Error(usage).
class GoldenWriter {
 public:
  GoldenWriter(std::filesystem::path path, const WriteOptions& options);
  ~GoldenWriter();
  GoldenWriter(const GoldenWriter&) = delete;
  GoldenWriter& operator=(const GoldenWriter&) = delete;

  /// Case names are unique and not empty; every name of the file survives a round trip exactly.
  void begin_case(const std::string& name, const tensor::Value& inputs);
  /// To the case or the truth that is open. `stored` holds the bytes of run::stored_shape(tap),
  /// row-major.
  void add_tap(const run::TapRecord& tap, std::span<const std::byte> stored);
  /// What repeated runs of the open case showed, once, behind its last tap.
  void add_noise(const run::NoiseRecord& noise);
  void end_case(const std::vector<run::SkippedTap>& skipped, const std::vector<std::string>& notes);

  /// Takes a whole case of another golden over, with all that was recorded of it: a copy of its
  /// stored bytes, compressed ones as they are.
  void copy_case(const GoldenReader& from, std::size_t case_index);
  /// The same as a link, for a golden whose cases all stay in files beside it. Throws Error(usage)
  /// where the file is in another folder. A golden has links or cases of its own, never both.
  void link_case(const GoldenReader& from, std::size_t case_index);

  /// Taps of a case, the open one included, in the order in which they were added.
  [[nodiscard]] const std::vector<run::TapRecord>& taps(std::size_t case_index) const;
  /// Those of the open truth.
  [[nodiscard]] const std::vector<run::TapRecord>& truth_taps() const;
  /// The stored part of one of a case's, from the file that is being written.
  [[nodiscard]] tensor::HostTensor read_back(std::size_t case_index, std::size_t tap_index);

  /// The truth of an ended case, which has none yet; between cases, so that the model that was
  /// recorded need not stay in memory.
  void begin_truth(std::size_t case_index, tensor::DType dtype);
  /// `introduced_nrmse`: see run::TruthRecord; one per tap of the truth, or none.
  void end_truth(const std::vector<std::string>& notes,
                 const std::vector<double>& introduced_nrmse = {});
  /// Writes the header and the index, seals, syncs and renames. At least one case with one tap is
  /// required, except of a shard, whose share of the cases may be none.
  void finish(const run::RecordingHeader& header,
              const std::optional<run::ShardRecord>& shard = std::nullopt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::golden_store
