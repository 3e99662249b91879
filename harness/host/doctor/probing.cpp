#include "host/doctor/probing.h"

#include <string_view>

#include "host/probe/known.h"
#include "run/fact_groups.h"
#include "run/probe.h"
#include "run/trial_lines.h"

namespace parity::host {
namespace {

constexpr const char* kCheck = "probes";

/// Products of integers that are wrong are a broken device or library; operands that lose bits
/// unasked, and results that change from call to call, spoil a comparison.
run::Level level_of(const run::Probe& probe, Standing standing) {
  if (!run::is_answer(probe.text)) return run::Level::note;
  if (probe.name.starts_with("integers") && probe.text != "exact") return run::Level::problem;
  if (probe.name == "operands.ieee" && !probe.text.starts_with("23 bits"))
    return run::Level::warning;
  if (probe.name == "repeat" && probe.text != "same bits") return run::Level::warning;
  return standing == Standing::otherwise ? run::Level::note : run::Level::ok;
}

std::string meaning_text(const std::string& probe) {
  const ProbeMeaning* meaning = meaning_of(probe);
  if (meaning == nullptr) return {};
  return std::string(meaning->meaning) + " Known for: " + std::string(meaning->known_for) + ".";
}

std::string standing_text(const run::Probe& probe, const Recognition& recognition) {
  if (!run::is_answer(probe.text)) return {};
  if (recognition.standing != Standing::unknown) return recognition.words;
  // Where there is nothing to hold it against, right is right all the same.
  const bool needs_none = probe.text == "exact" || probe.text == "same bits";
  return needs_none ? "" : "No published pattern: unknown.";
}

/// Probes of one kind have their meaning said once, with the first.
enum class Meaning : std::uint8_t { said, new_here };

run::Finding finding_of(const std::string& device, std::string_view arch, const run::Probe& probe,
                        Meaning meaning) {
  const Recognition recognition = recognise(arch, probe);
  run::Finding finding{kCheck, level_of(probe, recognition.standing), "", "", {}};
  finding.seen =
      std::string(device).append(": ").append(probe.name).append(": ").append(probe.text);
  if (!probe.detail.empty()) finding.seen += " (" + probe.detail + ")";
  if (meaning == Meaning::new_here || finding.level > run::Level::note)
    finding.why = meaning_text(probe.name);
  const std::string standing = standing_text(probe, recognition);
  finding.why += (finding.why.empty() || standing.empty() ? "" : " ") + standing;
  if (finding.level == run::Level::warning && probe.name == "operands.ieee") {
    finding.fix = {{"see which variable switches TF32 on (check switches), and take it away", ""}};
  } else if (finding.level == run::Level::warning) {
    finding.fix = {
        {"record with --repeat, so that the bounds know the noise, or with "
         "--deterministic",
         ""}};
  }
  return finding;
}

}  // namespace

void add_probe_findings(const std::string& device, run::Diagnosis& diagnosis) {
  const std::string probes = device + "." + std::string(run::kProbes.prefix);
  const std::string details = device + "." + std::string(run::kProbeDetail);
  const std::string digest = device + "." + std::string(run::kProbes.summary);
  // As the device itself says; the facts keep the order in which they were told.
  const std::string arch(diagnosis.facts.get(device + ".device.arch"));
  std::vector<run::Finding> findings;
  std::string kind;
  for (const auto& [key, value] : diagnosis.facts.facts()) {
    if (key == digest || !key.starts_with(probes)) continue;
    const std::string name = key.substr(probes.size());
    const std::string of = name.substr(0, name.find('.'));
    findings.push_back(finding_of(device, arch,
                                  {name, value, std::string(diagnosis.facts.get(details + name))},
                                  of == kind ? Meaning::said : Meaning::new_here));
    kind = of;
  }
  for (run::Finding& finding : findings) diagnosis.findings.push_back(std::move(finding));
  const std::string_view mark = diagnosis.facts.get(digest);
  if (mark.empty()) return;
  diagnosis.findings.push_back({kCheck,
                                run::Level::ok,
                                device + ": fingerprint " + std::string(mark),
                                "Two devices with the same fingerprint gave the same text to every "
                                "probe; compare names the probes that differ.",
                                {}});
}

}  // namespace parity::host
