// Private to model/: the two operators that an instrumented graph calls, and who hears them.
// Knows sites by number alone; which call a site belongs to was decided when the graph was
// rewritten.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>

#include "model/torch/tap_emitter.h"
#include "run/tap.h"

namespace parity::model {

/// One place in an instrumented graph.
struct Site {
  run::TapKind kind = run::TapKind::module;
  std::string path;  ///< dotted path of the module; for a method other than forward the method's
                     ///< name is its end
  std::string op;    ///< kind op only: "aten.softmax"
};

/// `parity::tap(Any value, int site) -> ()` hands a value to the emitter.
inline constexpr const char* kTapOperator = "parity::tap";
/// `parity::mark(int site) -> ()` remembers that execution came by, to name the op that a run
/// failed in.
inline constexpr const char* kMarkOperator = "parity::mark";
/// Makes both operators known to the interpreter; harmless when repeated.
void register_probe_operators();

/// Hears one run. While it lives it is the process's only probe: numeric switches and seed belong
/// to the whole process, so two runs at a time would disturb each other anyway. The interpreter may
/// go on in another thread after a wait, which rules out a thread-local.
class Probe {
 public:
  /// `emitter` may be null when only marks matter.
  Probe(const std::vector<Site>& sites, TapEmitter* emitter);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void tap(std::int64_t site, const c10::IValue& value);
  void mark(std::int64_t site) { last_mark_ = site; }

  /// The site marked last; nullptr when none was.
  [[nodiscard]] const Site* last_mark() const;
  /// What the sink threw: the interpreter would turn it into a text. Does nothing when it threw
  /// nothing.
  void rethrow_sink_error() const;

 private:
  const std::vector<Site>& sites_;
  TapEmitter* emitter_;
  std::int64_t last_mark_ = -1;
  std::exception_ptr sink_error_;
};

}  // namespace parity::model
