// Cost of recording: the same forward pass plain, with every tap copied to the host, with every tap
// digested and no file, and into goldens of mode digest and full, beside what the disk takes from
// plain sequential writes of as many bytes as each has.
// Medians of interleaved repetitions.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "capture/capture_stream.h"
#include "error/error.h"
#include "golden_store/golden_writer.h"
#include "model/inputs.h"
#include "model/model.h"
#include "pipeline/record/golden_sink.h"
#include "pipeline/record/tapped_run.h"

namespace {

using namespace parity;
using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& body) {
  const Clock::time_point start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Spread {
  std::vector<double> seconds;

  [[nodiscard]] double median() {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }
  [[nodiscard]] std::string text() {
    const double middle = median();
    return fmt::format("{:9.2f} ms  ({:.2f} to {:.2f})", 1e3 * middle, 1e3 * seconds.front(),
                       1e3 * seconds.back());
  }
};

class Bench {
 public:
  Bench(const model::Source& source, const run::Settings& settings, const std::string& inputs,
        std::filesystem::path folder)
      : model_(model::open_model(source, settings)),
        inputs_(model::load_inputs(inputs, settings.seed, model_->vocabulary())),
        folder_(std::move(folder)) {}

  void run(int repetitions) {
    record("digest.h5", run::StoreMode::digest);  // warm up
    plain();
    digest_taps();
    for (int i = 0; i < repetitions; ++i) {
      plain_.seconds.push_back(seconds_of([&] { plain(); }));
      copied_.seconds.push_back(seconds_of([&] { copy_to_host(); }));
      taps_digested_.seconds.push_back(seconds_of([&] { digest_taps(); }));
      std::filesystem::remove(folder_ / "digest.h5");
      digest_.seconds.push_back(seconds_of([&] { record("digest.h5", run::StoreMode::digest); }));
      const std::uintmax_t outputs = std::filesystem::file_size(folder_ / "digest.h5");
      output_disk_.seconds.push_back(seconds_of([&] { write_plainly(outputs); }));
      std::filesystem::remove(folder_ / "bench.raw");
      // A file of gigabytes takes its time to free; whoever records over one pays for it once.
      std::filesystem::remove(folder_ / "full.h5");
      full_.seconds.push_back(seconds_of([&] { record("full.h5", run::StoreMode::full); }));
      std::filesystem::remove(folder_ / "bench.raw");
      disk_.seconds.push_back(seconds_of([&] { write_plainly(tap_bytes_); }));
    }
  }

  void print() {
    const auto rate = [&](double seconds) {
      return static_cast<double>(tap_bytes_) / 1e9 / seconds;
    };
    fmt::print("taps {}  {:.3f} GB\n", taps_, static_cast<double>(tap_bytes_) / 1e9);
    fmt::print("plain forward   {}\n", plain_.text());
    fmt::print("copy to host    {}  {:.2f} x plain  {:.2f} GB/s\n", copied_.text(),
               copied_.median() / plain_.median(), rate(copied_.median()));
    fmt::print("digest of taps  {}  {:.2f} x plain  {:.2f} GB/s\n", taps_digested_.text(),
               taps_digested_.median() / plain_.median(), rate(taps_digested_.median()));
    fmt::print("record digest   {}  {:.2f} x plain  {:.2f} GB/s\n", digest_.text(),
               digest_.median() / plain_.median(), rate(digest_.median()));
    fmt::print("plain write     {}  of the golden of digests, which has the outputs in full\n",
               output_disk_.text());
    fmt::print("record full     {}  {:.2f} x plain  {:.2f} GB/s\n", full_.text(),
               full_.median() / plain_.median(), rate(full_.median()));
    fmt::print("plain write     {}  {:.2f} GB/s  full reaches {:.0f} %\n", disk_.text(),
               rate(disk_.median()), 100 * disk_.median() / full_.median());
  }

 private:
  void plain() {
    pipeline::OutputDigestSink sink;
    capture::TapFilter everything({}, {});
    (void)pipeline::run_tapped(*model_, inputs_, model::Instrumentation::outputs_only, everything,
                               sink);
  }

  /// Every tap through the ring, and nothing done with it there.
  void copy_to_host() {
    class Ignored final : public capture::TapConsumer {
      void consume(const capture::CapturedTap& /*tap*/) override {}
      [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& /*id*/) const override {
        return capture::DigestWish::none;
      }
    } sink;
    capture::TapFilter everything({}, {});
    (void)pipeline::run_tapped(*model_, inputs_, model::Instrumentation::taps, everything, sink);
  }

  void digest_taps() {
    pipeline::OutputDigestSink sink;
    capture::TapFilter everything({}, {});
    (void)pipeline::run_tapped(*model_, inputs_, model::Instrumentation::taps, everything, sink);
  }

  void record(const std::string& name, run::StoreMode mode) {
    golden_store::GoldenWriter writer(folder_ / name, {});
    pipeline::NoProgress progress;
    capture::TapFilter everything({}, {});
    writer.begin_case("bench", inputs_);
    pipeline::GoldenSink sink(writer, {mode, 0}, *model_, inputs_, progress);
    const auto skipped =
        pipeline::run_tapped(*model_, inputs_, model::Instrumentation::taps, everything, sink);
    writer.end_case(skipped, {});
    writer.finish({model_->description(), model_->provenance(), {}});
    taps_ = sink.tap_count();
    tap_bytes_ = sink.size_bytes();
  }

  /// As many bytes as the golden has, with fsync as the golden has.
  void write_plainly(std::uint64_t bytes) const {
    const std::vector<char> block(std::size_t{8} << 20U, 1);
    const std::string path = (folder_ / "bench.raw").string();
    const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (file < 0) throw Error(ErrorKind::resource, "cannot write " + path);
    for (std::uint64_t left = bytes; left > 0;) {
      const ssize_t written =
          write(file, block.data(), std::min<std::uint64_t>(left, block.size()));
      if (written <= 0) throw Error(ErrorKind::resource, "cannot write " + path);
      left -= static_cast<std::uint64_t>(written);
    }
    fsync(file);
    close(file);
  }

  std::unique_ptr<model::Model> model_;
  tensor::Value inputs_;
  std::filesystem::path folder_;
  std::uint64_t taps_ = 0;
  std::uint64_t tap_bytes_ = 0;
  Spread plain_, copied_, taps_digested_, digest_, output_disk_, full_, disk_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    fmt::print(stderr, "usage: record_bench MODEL CONFIG|- INPUTS DEVICE REPETITIONS FOLDER\n");
    return 2;
  }
  try {
    model::Source source;
    source.model = argv[1];
    if (std::string(argv[2]) != "-") source.config = argv[2];
    run::Settings settings;
    settings.device = argv[4];
    Bench bench(source, settings, argv[3], argv[6]);
    bench.run(std::max(1, std::atoi(argv[5])));
    bench.print();
  } catch (const std::exception& error) {
    fmt::print(stderr, "record_bench: {}\n", error.what());
    return 3;
  }
  return 0;
}
