#include "pipeline/record/run_provenance.h"

#include "host/kernel_libraries.h"
#include "host/machine.h"
#include "host/number_variables.h"
#include "host/probe/probes.h"
#include "model/probe_device.h"

namespace parity::pipeline {
namespace {

constexpr const char* kRandomNumbers = "run.random_numbers";
constexpr const char* kDrawn = "drawn";

}  // namespace

run::Provenance run_provenance(const model::Model& model, const run::Settings& settings,
                               const TapChoice& taps, run::Probing probing) {
  run::Provenance facts = model.provenance();
  facts.merge(host::machine_facts());
  record_capture(facts, settings, taps);
  const host::System system = host::System::own();
  facts.merge(host::kernel_library_facts(system, std::string(facts.get("device.arch"))));
  facts.merge(host::number_variable_facts(system, host::platform_of(facts)));
  if (probing == run::Probing::on)
    facts.merge(run::probe_facts(host::fingerprint(*model::open_probe_device(settings))));
  if (model.draws_random_numbers()) facts.set(kRandomNumbers, kDrawn);
  return facts;
}

bool drew_random_numbers(const run::Provenance& provenance) {
  return provenance.get(kRandomNumbers) == kDrawn;
}

}  // namespace parity::pipeline
