// The operators that a model ran between two taps, and how to run them alone. For a person who was
// told which layer creates a difference and asks which operator of it does.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
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

/// The names of the files of a reproducer, in its folder.
struct ReproducerFiles {
  static constexpr const char* kModel = "operator.pt";     ///< TorchScript of the operators alone
  static constexpr const char* kInputs = "inputs.pt";      ///< tuple of its tensors
  static constexpr const char* kExpected = "expected.pt";  ///< the reference's value
  static constexpr const char* kScript = "reproduce.py";   ///< runs it with PyTorch alone
};

class OperatorTrace {
 public:
  virtual ~OperatorTrace() = default;

  /// Those that the value of the last tap depends on, in execution order; empty when nothing was
  /// computed between the taps (a view, a value that was there before).
  [[nodiscard]] virtual const std::vector<OperatorCall>& operators() const = 0;

  /// The values that they were given, as the arguments of the model that save() writes.
  [[nodiscard]] virtual tensor::Value inputs() const = 0;

  /// Writes the four files. `expected` has the shape of the last tap; the script runs with the
  /// numeric switches of `settings`. Throws Error(usage) when there is no operator to write,
  /// Error(store) when a file cannot be written.
  virtual void save(const std::filesystem::path& folder, const tensor::HostTensor& expected,
                    const std::string& title, const run::Settings& settings) const = 0;
};

/// Runs one case with its taps handed to `sink` and keeps what the operators of the segment were
/// given and gave: the memory of that segment is held, not of the run.
[[nodiscard]] std::unique_ptr<OperatorTrace> trace_operators(Model& model,
                                                             const tensor::Value& inputs,
                                                             const Segment& segment,
                                                             run::TapSink& sink);

}  // namespace parity::model
