// Reads a golden that may have been damaged or made to harm: checked before the HDF5 library parses
// it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "run/recording.h"
#include "run/shard.h"
#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::golden_store {

struct CaseSource;

/// An open golden. Refuses, with Error(store) in one sentence: a file that is no golden,
/// unfinished, truncated, altered, or of an unknown major version. Takes no lock: a golden under
/// its own name is finished and never changes. One made of links has its cases in the files that it
/// names, which lie beside it, are checked likewise and have to be those that were linked. One
/// thread at a time per reader; different readers and writers may be used from different threads.
class GoldenReader {
 public:
  explicit GoldenReader(const std::filesystem::path& path);
  ~GoldenReader();
  GoldenReader(GoldenReader&&) noexcept;
  GoldenReader& operator=(GoldenReader&&) noexcept;

  [[nodiscard]] const std::filesystem::path& path() const;
  [[nodiscard]] const run::RecordingHeader& header() const;
  [[nodiscard]] const std::vector<run::CaseRecord>& cases() const;
  /// Where it is a part of a recording; nullopt for a whole one.
  [[nodiscard]] const std::optional<run::ShardRecord>& shard() const;
  [[nodiscard]] tensor::Value read_inputs(std::size_t case_index) const;
  /// The stored part of a tap (run::stored_shape), its digest checked when the whole tap is stored.
  [[nodiscard]] tensor::HostTensor read_tap(std::size_t case_index, std::size_t tap_index) const;
  /// The same of a case that has a truth, by the index of the truth's tap.
  [[nodiscard]] tensor::HostTensor read_truth_tap(std::size_t case_index,
                                                  std::size_t tap_index) const;

 private:
  friend class GoldenWriter;  // which takes whole cases over
  [[nodiscard]] CaseSource source_of(std::size_t case_index) const;

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parity::golden_store
