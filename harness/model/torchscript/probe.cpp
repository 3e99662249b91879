#include "model/torchscript/probe.h"

#include <atomic>
#include <stdexcept>

#include <torch/csrc/jit/runtime/custom_operator.h>

#include "error/error.h"

namespace parity::model {
namespace {

std::atomic<Probe*>& active_probe() {
  static std::atomic<Probe*> probe{nullptr};
  return probe;
}

void run_tap(torch::jit::Stack& stack) {
  const std::int64_t site = torch::jit::pop(stack).toInt();
  const c10::IValue value = torch::jit::pop(stack);
  if (Probe* probe = active_probe().load()) probe->tap(site, value);
}

void run_mark(torch::jit::Stack& stack) {
  const std::int64_t site = torch::jit::pop(stack).toInt();
  if (Probe* probe = active_probe().load()) probe->mark(site);
}

}  // namespace

void register_probe_operators() {
  using torch::jit::Operator;
  // Conservative: a pass that removes dead code or moves writes must take a tap for a reader of
  // everything.
  static const torch::jit::RegisterOperators registered({
      Operator(std::string(kTapOperator) + "(Any value, int site) -> ()", run_tap,
               c10::AliasAnalysisKind::CONSERVATIVE),
      Operator(std::string(kMarkOperator) + "(int site) -> ()", run_mark,
               c10::AliasAnalysisKind::CONSERVATIVE),
  });
}

Probe::Probe(const std::vector<Site>& sites, TapEmitter* emitter)
    : sites_(sites), emitter_(emitter) {
  Probe* none = nullptr;
  PARITY_CHECK(active_probe().compare_exchange_strong(none, this));
}

Probe::~Probe() { active_probe().store(nullptr); }

void Probe::tap(std::int64_t site, const c10::IValue& value) {
  if (emitter_ == nullptr) return;
  const Site& at = sites_.at(static_cast<std::size_t>(site));
  try {
    if (at.kind == run::TapKind::op) {
      emitter_->op_output(at.path, at.op, value);
    } else {
      emitter_->module_output(at.path, value);
    }
  } catch (...) {
    sink_error_ = std::current_exception();
    throw std::runtime_error("the receiver of the taps failed");
  }
}

const Site* Probe::last_mark() const {
  return last_mark_ < 0 ? nullptr : &sites_.at(static_cast<std::size_t>(last_mark_));
}

void Probe::rethrow_sink_error() const {
  if (sink_error_) std::rethrow_exception(sink_error_);
}

}  // namespace parity::model
