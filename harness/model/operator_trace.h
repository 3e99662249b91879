// The operators that a model ran between two taps, and how to run them alone. For a person who was
// told which layer creates a difference and asks which operator of it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "run/settings.h"
#include "run/tap.h"
#include "run/tap_stream.h"
#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::model {

/// Everything that runs behind one tap up to another.
struct Segment {
  std::optional<run::TapId> behind;  ///< nullopt: from the start of the run
  run::TapId up_to;
};

struct OperatorCall {
  std::string name;    ///< "aten.scaled_dot_product_attention"
  std::string source;  ///< "attention.py:42", where the model file says so; else empty
};

/// One result of an operator call: as the run computed it, and in float64 from the same inputs.
struct OwnValue {
  tensor::HostTensor candidate;
  tensor::HostTensor exact;  ///< infinite where the candidate's dtype holds no number as large
  tensor::HostTensor moved;  ///< in float64 again, from inputs that were each moved by one unit
                             ///< roundoff of the candidate's dtype, at random up or down
};

struct OwnValues {
  std::string not_judged;        ///< why nothing could be computed in float64; else empty
  std::vector<OwnValue> values;  ///< none for an operator that only hands out views
};

/// The names of the files of a reproducer, in its folder.
struct ReproducerFiles {
  static constexpr const char* kModel = "operator.pt";       ///< TorchScript of the operators alone
  static constexpr const char* kInputs = "inputs.pt";        ///< tuple of its tensors
  static constexpr const char* kReference = "reference.pt";  ///< the reference's value
  static constexpr const char* kScript = "reproduce.py";     ///< runs it with PyTorch alone
};

/// What goes into the files besides the operators.
struct Reproducer {
  const tensor::HostTensor& reference;           ///< the reference's value of the last tap
  std::string title;                             ///< first line of the script
  std::string command;                           ///< of parity, in the folder: replays the files
  double explained_nrmse = 0;                    ///< the script exits with 1 beyond it
  double explained_max_error_over_rms = 0;       ///< or beyond this
  run::Settings settings;                        ///< whose numeric switches and seed it sets
  std::vector<std::filesystem::path> libraries;  ///< of custom operators
};

class OperatorTrace {
 public:
  virtual ~OperatorTrace() = default;

  /// Those that the value of the last tap depends on, in execution order; empty when nothing was
  /// computed between the taps (a view, a value that was there before).
  [[nodiscard]] virtual const std::vector<OperatorCall>& operators() const = 0;

  /// The values that they were given, as the arguments of the model that save() writes.
  [[nodiscard]] virtual tensor::Value inputs() const = 0;

  /// What operators()[index] computed itself. Runs the operator on the CPU; the memory is that of
  /// its inputs and results in float64.
  [[nodiscard]] virtual OwnValues in_float64(std::size_t index) const = 0;

  /// Writes the four files. Throws Error(usage) when there is no operator to write, Error(resource)
  /// when a file cannot be written.
  virtual void save(const std::filesystem::path& folder, const Reproducer& what) const = 0;

  /// Runs what save() wrote there, from `seed` on. Empty when it gives the bits that the run gave,
  /// or is no further from them than from itself when it runs again; else how far it is off.
  [[nodiscard]] virtual std::string difference_when_run(const std::filesystem::path& folder,
                                                        std::uint64_t seed) const = 0;
};

/// Runs one case with its taps handed to `sink` and keeps what the operators of the segment were
/// given and gave: the memory of that segment is held, not of the run. A call that writes to a
/// tensor keeps its whole storage as it was, however small the view: N calls that write into one
/// cache keep N copies of it.
[[nodiscard]] std::unique_ptr<OperatorTrace> trace_operators(Model& model,
                                                             const tensor::Value& inputs,
                                                             const Segment& segment,
                                                             run::TapSink& sink);

}  // namespace parity::model
