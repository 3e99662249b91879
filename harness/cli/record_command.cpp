// `parity record`
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/case_flags.h"
#include "cli/case_input.h"
#include "cli/commands.h"
#include "cli/flag_texts.h"
#include "cli/sweep.h"
#include "cli/terminal.h"
#include "cli/trace_file.h"
#include "error/error.h"
#include "pipeline/record/record.h"

namespace parity::cli {
namespace {

struct RecordFlags {
  RunFlags run;
  CaseFlags cases;
  std::string out;
  std::string store = "full";
  std::string truth = "off";
  std::string truth_device = "cpu";
  int repeat = 0;
  std::string sweep;
  std::string decode = "none";
  std::string compress = "none";
  std::string trace;
  std::string shard;
  bool no_probes = false;
};

pipeline::StoreChoice store_of(const std::string& text) {
  if (text == "full") return {run::StoreMode::full, 0};
  if (text == "digest") return {run::StoreMode::digest, 0};
  std::int64_t rows = 0;
  constexpr std::string_view kRows = "rows:";
  if (text.rfind(kRows, 0) == 0) {
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data() + kRows.size(), end, rows);
    if (result.ec == std::errc{} && result.ptr == end && rows > 0)
      return {run::StoreMode::rows, rows};
  }
  throw Error(ErrorKind::usage,
              "--store takes full, rows:N (N at least 1) or digest, not '" + text + "'");
}

pipeline::TruthChoice truth_of(const RecordFlags& flags) {
  pipeline::TruthChoice choice;
  choice.dtype = tensor::dtype_from_name(flags.truth);  // none for "off"
  if (flags.truth_device == "same") choice.device = pipeline::TruthDevice::same;
  return choice;
}

/// A flag without the one that gives it a meaning was meant for something.
void check_combination(const CLI::App& command, const RecordFlags& flags) {
  if (command.count("--truth-device") > 0 && flags.truth == "off") {
    throw Error(ErrorKind::usage,
                "--truth-device says where the truth runs: give --truth float64 or float32, too");
  }
}

std::vector<pipeline::CaseInput> cases_of(const CLI::App& command, const RecordFlags& flags) {
  if (command.count("--sweep") > 0)
    return sweep_cases(flags.cases.inputs, sweep_sizes_of(flags.sweep));
  return cases_of(flags.cases);
}

std::int64_t decode_steps_of(const std::string& text) {
  if (text == "none") return 0;
  constexpr std::int64_t kMost = 65536;
  std::int64_t steps = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, steps);
  if (result.ec == std::errc{} && result.ptr == end && steps >= 1 && steps <= kMost) return steps;
  throw Error(
      ErrorKind::usage,
      fmt::format("--decode takes none or a number of steps from 1 to {}, not '{}'", kMost, text));
}

std::optional<run::Compression> compression_of(const std::string& text) {
  if (text == "none") return std::nullopt;
  if (text == "zstd") return run::Compression{run::Packer::zstd, 1};
  constexpr std::string_view kZstd = "zstd:";
  const bool is_zstd = text.compare(0, kZstd.size(), kZstd) == 0;
  run::Compression compression{is_zstd ? run::Packer::zstd : run::Packer::gzip, 0};
  const char* const begin = text.data() + (is_zstd ? kZstd.size() : 0);
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, compression.level);
  if (result.ec == std::errc{} && result.ptr == end && run::is_possible(compression))
    return compression;
  throw Error(
      ErrorKind::usage,
      fmt::format("--compress takes none, a level of gzip from 1 to {}, zstd, or zstd:LEVEL "
                  "with a level from 1 to {}, not '{}'",
                  run::kMostGzipLevel, run::kMostZstdLevel, text));
}

std::string noise_text(const RecordFlags& flags, const pipeline::RecordSummary& summary) {
  if (flags.repeat == 0) return {};
  const std::string repeats =
      fmt::format("{} repeat{}", flags.repeat, flags.repeat == 1 ? "" : "s");
  if (summary.noisy_taps == 0) return ", the same bits in " + repeats;
  return fmt::format(", {} tap{} with other bits in {}", summary.noisy_taps,
                     summary.noisy_taps == 1 ? "" : "s", repeats);
}

std::string summary_text(const RecordFlags& flags, const std::filesystem::path& file,
                         const pipeline::RecordSummary& summary) {
  return fmt::format("{}: {} taps of {} case{}, {:.1f} MB seen, {:.1f} MB stored, {:.2f} s{}\n",
                     file.string(), summary.taps, summary.cases, summary.cases == 1 ? "" : "s",
                     static_cast<double>(summary.size_bytes) / 1e6,
                     static_cast<double>(summary.file_bytes) / 1e6, summary.forward_s,
                     noise_text(flags, summary));
}

int run_record(const CLI::App& command, const RecordFlags& flags, const CommonFlags& common) {
  check_combination(command, flags);
  pipeline::RecordRequest request;
  request.taps = tap_choice_of(flags.cases);
  request.store = store_of(flags.store);
  request.truth = truth_of(flags);
  request.repeats = flags.repeat;
  request.decode_steps = decode_steps_of(flags.decode);
  request.compression = compression_of(flags.compress);
  request.source = source_of(flags.run);
  request.settings = settings_of(flags.run, flags.cases);
  request.cases = cases_of(command, flags);
  request.out = flags.out;
  if (!flags.shard.empty()) {
    request.shard = pipeline::shard_choice_of(flags.shard);
    request.out = pipeline::shard_path(flags.out, request.shard->shard);
  }
  check_outputs({{"--out", request.out.string()}, {"--trace", flags.trace}},
                files_read(flags.run, request.cases));
  TraceFile trace(flags.trace);
  request.probing = flags.no_probes ? run::Probing::off : run::Probing::on;
  const pipeline::RecordSummary summary = pipeline::record(request, *common.progress());
  trace.write();
  if (common.quiet) return 0;
  for (const std::string& note : summary.notes) warn("note: " + note);
  print(summary_text(flags, request.out, summary));
  return 0;
}

}  // namespace

Action add_record_command(CLI::App& command) {
  const auto flags = std::make_shared<RecordFlags>();
  command
      .add_option("--model", flags->run.model,
                  "TorchScript, exported program (.pt2), state_dict or safetensors file")
      ->required();
  command
      .add_option("--out", flags->out,
                  "Golden to write; replaced only when the recording is complete")
      ->required();
  add_case_flags(command, flags->cases);
  add_run_flags(command, flags->run);
  command.add_option("--store", flags->store, "full, rows:N (N rows of each tap) or digest")
      ->capture_default_str();
  command
      .add_option("--truth", flags->truth,
                  "off, float32 or float64: run every case once more in this dtype, from the "
                  "weights that were recorded, as the judge between both sides")
      ->check(CLI::IsMember({"off", "float32", "float64"}))
      ->capture_default_str();
  command
      .add_option("--truth-device", flags->truth_device,
                  "Where the truth runs: cpu, or the same device as the recording")
      ->check(CLI::IsMember({"cpu", "same"}))
      ->capture_default_str();
  command
      .add_option("--repeat", flags->repeat,
                  "Run every case N times more and store how far these runs are apart: the floor "
                  "of the bounds in a comparison")
      ->check(CLI::Range(0, kMostRepeats))
      ->capture_default_str();
  command
      .add_option(
          "--sweep", flags->sweep,
          "One case for each batch size B and length L in the sizes of --inputs (tokens:BxL "
          "without any): at the edges of kernels, or for ROWSxLENGTHS such as 1,8x1,128")
      ->expected(0, 1)
      ->default_str("edges");
  command
      .add_option(
          "--decode", flags->decode,
          "none, or how many greedy tokens to decode behind every prompt, one pass each over "
          "a key/value cache (built-in decoder only)")
      ->capture_default_str();
  command.add_option(
      "--shard", flags->shard,
      "Record this process's share of the cases, into OUT.shard-I-of-N: auto for what srun, "
      "mpirun, torchrun or an indexed Job say, auto/N where they have to be N, or I/N; "
      "parity merge joins the files");
  command.add_flag("--no-probes", flags->no_probes, kNoProbesText);
  command.add_option("--compress", flags->compress, "none, a gzip level 1-9, or zstd[:LEVEL]")
      ->capture_default_str();
  add_trace_flag(command, flags->trace);
  command.footer(
      "Examples:\n"
      "  parity record --model model.pt --inputs chat=prompts.pt --dtype bfloat16 --out golden.h5\n"
      "  parity record --model model.pt --inputs chat=prompts.pt --truth float64 --out golden.h5\n"
      "  parity record --model model.pt --inputs tokens:BxL --sweep --repeat 2 --store rows:64 "
      "--out golden.h5\n"
      "  parity record --model model.safetensors --config config.json --inputs chat=prompts.pt "
      "--decode 16 --out golden.h5\n"
      "  srun -n 4 parity record --model model.pt --inputs a.pt b.pt c.pt d.pt --shard auto --out "
      "golden.h5");
  return
      [flags, &command](const CommonFlags& common) { return run_record(command, *flags, common); };
}

}  // namespace parity::cli
