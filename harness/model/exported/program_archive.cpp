#include "model/exported/program_archive.h"

#include <vector>

#include "error/error.h"

namespace parity::model {
namespace {

constexpr std::string_view kAgain =
    "; load it there and save it with torch.export.save of PyTorch 2.9 to 2.11";

std::string folder_of(const ZipArchive& zip) {
  const std::string top = zip.top_folder();
  return top.empty() ? top : top + "/";
}

std::vector<std::string> names_of_programs(const ZipArchive& zip, const std::string& folder) {
  const std::string start = folder + "models/";
  constexpr std::string_view kEnd = ".json";
  std::vector<std::string> names;
  for (const ZipArchive::Entry& entry : zip.entries()) {
    const std::string& name = entry.name;
    if (name.size() <= start.size() + kEnd.size() || name.rfind(start, 0) != 0) continue;
    if (name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) != 0) continue;
    names.push_back(name.substr(start.size(), name.size() - start.size() - kEnd.size()));
  }
  return names;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::string only_program(const ZipArchive& zip, const std::string& folder,
                         const std::string& label) {
  const std::vector<std::string> names = names_of_programs(zip, folder);
  if (names.size() == 1) return names.front();
  if (zip.contains("serialized_exported_program.json") ||
      zip.contains(folder + "serialized_exported_program.json")) {
    throw Error(ErrorKind::model, label +
                                      " is an exported program in the layout of PyTorch before "
                                      "2.8" +
                                      std::string(kAgain));
  }
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  throw Error(ErrorKind::model,
              names.empty()
                  ? label + " is a PyTorch archive without an exported program" +
                        "; export the model with torch.export.save(program, \"model.pt2\")"
                  : label + " holds several exported programs (" + listed +
                        "); save one to a file with torch.export.save");
}

}  // namespace

ProgramArchive::ProgramArchive(const std::filesystem::path& file)
    : label_(file.string()),
      zip_(map_file(file), label_),
      folder_(folder_of(zip_)),
      name_(only_program(zip_, folder_, label_)),
      program_(record("models/" + name_ + ".json")) {
  const std::optional<FileBytes> version = zip_.read(folder_ + "archive_version");
  if (version && as_text(version->bytes) != "0") {
    throw Error(ErrorKind::model, label_ + " is a PyTorch archive of version " +
                                      std::string(as_text(version->bytes).substr(0, 16)) +
                                      ", and version 0 is read" + std::string(kAgain));
  }
  const std::optional<FileBytes> order = zip_.read(folder_ + "byteorder");
  if (order && as_text(order->bytes) != "little") {
    throw Error(
        ErrorKind::model,
        label_ + " was saved on a big-endian machine; save it again on a little-endian one");
  }
}

FileBytes ProgramArchive::record(const std::string& name) const {
  std::optional<FileBytes> found = zip_.read(folder_ + name);
  if (!found) {
    throw Error(ErrorKind::model, label_ + " is damaged (its record `" + name + "` is missing)" +
                                      (zip_.contains(folder_ + "data/weights/" + name_ + ".pt")
                                           ? ", or was saved by PyTorch 2.8" + std::string(kAgain)
                                           : "; copy or save it again"));
  }
  return *std::move(found);
}

FileBytes ProgramArchive::list_of(const std::string& part) const {
  return record("data/" + part + "/" + name_ + "_" + part + "_config.json");
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
FileBytes ProgramArchive::tensor(const std::string& part, const std::string& name) const {
  return record("data/" + part + "/" + name);
}

std::optional<FileBytes> ProgramArchive::sample_inputs() const {
  return zip_.read(folder_ + "data/sample_inputs/" + name_ + ".pt");
}

}  // namespace parity::model
