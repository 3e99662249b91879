// Why operator libraries do not load, told from real ELF files that want too much.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "host/elf_file.h"
#include "host/made_library.h"
#include "host/operator_library/cause.h"
#include "host/operator_library/explain.h"
#include "host/operator_library/file_shape.h"

namespace parity::host {
namespace {

namespace fs = std::filesystem;
using How = FailedLibrary::How;

class OperatorLibrary : public ::testing::Test {
 protected:
  OperatorLibrary() {
    std::string pattern = (fs::temp_directory_path() / "parity-operators-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::create_directory(folder_ / "lib");
  }
  ~OperatorLibrary() override { fs::remove_all(folder_); }

  Error explain(const FailedLibrary& failed, TorchBuild torch, const std::string& problem = "") {
    const System system = System::own();
    return explained(failed, {system, folder_ / "lib", torch, "2.11.0", problem, is_defined,
                              [](const fs::path&) { return false; }});
  }
  /// What the C and C++ libraries define: mangled and reserved names, but those of torch.
  static bool is_defined(const std::string& symbol) {
    const std::string text = demangled(symbol);
    return symbol[0] == '_' && text.rfind("c10::", 0) != 0 && text.rfind("at::", 0) != 0;
  }
  Error explain_wants(const std::string& kind, TorchBuild torch, const std::string& problem = "") {
    const fs::path file = fs::path(PARITY_OPERATOR_LIBRARIES) / ("libparity_wants_" + kind + ".so");
    EXPECT_TRUE(fs::exists(file)) << file;
    return explain({file, How::refused, "undefined symbol: something"}, torch, problem);
  }
  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  fs::path folder_;
};

void expect_says(const Error& error, ErrorKind kind, const std::vector<std::string>& parts) {
  const std::string text = error.what();
  EXPECT_EQ(error.kind(), kind) << text;
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST_F(OperatorLibrary, BuiltForCudaSaysHowToBuildItForWhatIsHere) {
  expect_says(explain_wants("cuda", TorchBuild::hip), ErrorKind::usage,
              {"built for CUDA", "cudaMalloc", "c10::cuda::no_such_function_of_c10_cuda",
               "a ROCm build", "hipify-perl", "hipcc", "torch.utils.cpp_extension"});
  expect_says(explain_wants("cuda", TorchBuild::cpu), ErrorKind::usage,
              {"built for CUDA", "cublasCreate_v2", "a CPU build", "g++"});
  expect_says(explain_wants("cuda", TorchBuild::cuda, "libcuda.so.1 is missing"), ErrorKind::device,
              {"built for CUDA", "libcuda.so.1 is missing", "parity doctor"});
  expect_says(explain_wants("cuda", TorchBuild::cuda), ErrorKind::usage,
              {"which LibTorch 2.11.0 has not"});
}

TEST_F(OperatorLibrary, BuiltForRocmIsToldFromBuiltForCuda) {
  expect_says(explain_wants("hip", TorchBuild::cuda), ErrorKind::usage,
              {"built for ROCm", "hipMalloc", "rocblas_create_handle", "a CUDA build", "nvcc"});
  expect_says(explain_wants("hip", TorchBuild::hip, "no /dev/kfd"), ErrorKind::device,
              {"no /dev/kfd"});
}

TEST_F(OperatorLibrary, OtherCausesHaveTheirOwnRemedy) {
  expect_says(explain_wants("python", TorchBuild::cpu), ErrorKind::usage,
              {"Python extension", "PyModule_Create2", "TORCH_LIBRARY", "patchelf"});
  expect_says(explain_wants("old_abi", TorchBuild::cpu), ErrorKind::usage,
              {"old C++ ABI", "c10::detail::torchCheckFail", "-D_GLIBCXX_USE_CXX11_ABI=1"});
  expect_says(explain_wants("other_torch", TorchBuild::cpu), ErrorKind::usage,
              {"another PyTorch", "at::no_such_function_of_this_version", "LibTorch 2.11.0"});
  expect_says(explain_wants("solver", TorchBuild::cpu), ErrorKind::usage,
              {"solver_of_somebody", "first with --library"});
}

TEST_F(OperatorLibrary, MissingLibrariesAreAllNamed) {
  const fs::path cuda =
      write("cuda.so",
            made_library({{"libcudart.so.12", "libcublas.so.12", "libparity_none.so"}, "", {}}));
  expect_says(explain({cuda, How::refused, "x"}, TorchBuild::hip), ErrorKind::usage,
              {"built for CUDA", "libcudart.so.12", "libcublas.so.12", "libparity_none.so"});
  expect_says(explain({cuda, How::refused, "x"}, TorchBuild::cuda), ErrorKind::usage,
              {"another release", "nvcc", "LD_LIBRARY_PATH"});
  const fs::path python = write("python.so", made_library({{"libpython3.99.so.1.0"}, "", {}}));
  expect_says(explain({python, How::refused, "x"}, TorchBuild::cpu), ErrorKind::usage,
              {"Python extension", "libpython3.99.so.1.0"});
  const fs::path other = write("other.so", made_library({{"libparity_none.so"}, "", {}}));
  expect_says(explain({other, How::refused, "x"}, TorchBuild::cpu), ErrorKind::usage,
              {"libparity_none.so", "LD_LIBRARY_PATH"});
}

TEST_F(OperatorLibrary, ALibraryOfItsOwnFolderIsNoMissingOne) {
  write("libbeside.so", made_library({{}, "", {}}));
  const fs::path file = write("uses.so", made_library({{"libbeside.so"}, "$ORIGIN", {}}));
  expect_says(explain({file, How::refused, "the loader's own words"}, TorchBuild::cpu),
              ErrorKind::usage, {"the loader's own words"});
}

TEST_F(OperatorLibrary, ANewerSystemIsNamed) {
  const fs::path file = write("new.so", made_library({{}, "", {}}));
  expect_says(explain({file, How::refused,
                       "/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by x)"},
                      TorchBuild::cpu),
              ErrorKind::usage, {"newer system", "GLIBCXX_3.4.99"});
}

TEST_F(OperatorLibrary, LibTorchsOwnLibrariesAreNotItsFault) {
  write("lib/libtorch.so", made_library({{"libtorch_cuda.so"}, "$ORIGIN", {}}));
  write("lib/libtorch_cuda.so", made_library({{"libcufile.so.0"}, "$ORIGIN", {}}));
  write("lib/libtorch_python.so", made_library({{"libtorch.so"}, "$ORIGIN", {}}));
  const fs::path rpath = folder_ / "lib";
  const fs::path linked = write("linked.so", made_library({{"libtorch.so"}, rpath, {}}));
  const std::string words =
      "libtorch.so of LibTorch does not load (libcufile.so.0: cannot open shared object file)";
  expect_says(explain({linked, How::refused, words}, TorchBuild::cuda), ErrorKind::device,
              {"LibTorch's GPU part", "libcufile.so.0", "parity doctor", "-ltorch_cpu"});
  const fs::path python = write("python.so", made_library({{"libtorch_python.so"}, rpath, {}}));
  expect_says(explain({python, How::refused,
                       "libtorch_python.so of LibTorch does not load (undefined symbol: Py_None)"},
                      TorchBuild::cuda),
              ErrorKind::usage, {"Python extension", "libtorch_python.so", "patchelf"});
}

TEST_F(OperatorLibrary, AVersionOfAnotherLibraryIsNoNewerSystem) {
  const fs::path file = write("other.so", made_library({{}, "", {}}));
  expect_says(explain({file, How::refused,
                       "/opt/libcudart.so.13: version `libcudart.so.12' not found (required by x)"},
                      TorchBuild::cpu),
              ErrorKind::usage, {"libcudart.so.12' not found"});
}

TEST_F(OperatorLibrary, WhatALibraryBehindItWantsIsToldByTheLoader) {
  const fs::path file = write("first.so", made_library({{}, "", {}}));
  expect_says(
      explain({file, How::refused, "/opt/libsecond.so: undefined symbol: _ZN3c104cuda6streamEv"},
              TorchBuild::cpu),
      ErrorKind::usage, {"built for CUDA", "c10::cuda::stream"});
}

TEST_F(OperatorLibrary, FilesThatAreNoneAreToldByWhatTheyAre) {
  std::string arm = made_library({{}, "", {}});
  arm[18] = static_cast<char>(0xb7);  // e_machine: AArch64
  arm[19] = 0;
  std::string object = made_library({{}, "", {}});
  object[16] = 1;  // e_type: relocatable
  std::string program = made_library({{}, "", {}});
  program[16] = 2;
  const std::map<std::string, std::string> rows = {
      {write("text.so", "not a library"), "is no shared library"},
      {write("empty.so", ""), "is empty"},
      {write("short.so",
             "\x7f"
             "ELF"),
       "is cut off"},
      {write("arm.so", arm), "64-bit Arm"},
      {write("object.o", object), "never linked"},
      {write("program", program), "is a program"},
      {write("archive.a", "!<arch>\n"), "static archive"},
      {write("windows.dll", "MZ\x90"), "Windows"},
      {write("wheel.whl", "PK\x03\x04"), "zip archive"},
      {write("pointer.so", "version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"},
      {folder_ / "lib", "is a folder"},
      {folder_ / "nowhere.so", "is not there"},
      {"/dev/null", "is no regular file"},
  };
  for (const auto& [file, words] : rows) {
    EXPECT_NE(shape_problem(file).find(words), std::string::npos)
        << file << ": " << shape_problem(file);
    expect_says(explain({file, How::refused, "x"}, TorchBuild::cpu), ErrorKind::usage,
                {file, words});
  }
  EXPECT_EQ(shape_problem("/proc/self/exe").find("is for"), std::string::npos);
  EXPECT_EQ(shape_problem(write("right.so", made_library({{}, "", {}}))), "");
}

TEST_F(OperatorLibrary, InitialisersThatFailAreExplained) {
  expect_says(explain({"a.so", How::threw,
                       "Only a single TORCH_LIBRARY can be used to register the namespace my_ops; "
                       "please put all of your definitions in a single TORCH_LIBRARY block."},
                      TorchBuild::cpu),
              ErrorKind::usage, {"a.so", "namespace my_ops", "give one of them"});
  expect_says(explain({"a.so", How::threw,
                       "Tried to register an operator (my_ops::fused(Tensor x) -> Tensor) with the "
                       "same name and overload name multiple times."},
                      TorchBuild::cpu),
              ErrorKind::usage, {"operator my_ops::fused is registered already"});
  expect_says(explain({"a.so", How::threw, "\nno licence\nbacktrace"}, TorchBuild::cpu),
              ErrorKind::usage, {"throws: no licence"});
  expect_says(explain({"a.so", How::died, "SIGILL"}, TorchBuild::cpu), ErrorKind::usage,
              {"SIGILL", "for this processor"});
  expect_says(
      explain({"a.so", How::threw, "\x1b[31m\n\n\x1b[1mno licence\x1b[0m\n"}, TorchBuild::cpu),
      ErrorKind::usage, {"throws: no licence"});
  expect_says(explain({"a.so", How::ended, "exit code 0"}, TorchBuild::cpu), ErrorKind::usage,
              {"its initialisation ends the process (exit code 0)"});
  expect_says(explain({"a.so", How::hung, "120 s"}, TorchBuild::cpu), ErrorKind::usage,
              {"does not end within 120 s"});
}

TEST_F(OperatorLibrary, FilesThatEndEarlyAreToldFromWhole) {
  std::ifstream in(fs::path(PARITY_OPERATOR_LIBRARIES) / "libparity_wants_solver.so",
                   std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_GT(whole.size(), 4096U);
  const fs::path file = write("whole.so", whole);
  EXPECT_FALSE(is_cut_off(file));
  EXPECT_FALSE(is_cut_off(folder_ / "nowhere.so"));
  for (const std::size_t size :
       {std::size_t{64}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    const fs::path cut = write("cut.so", whole.substr(0, size));
    EXPECT_TRUE(is_cut_off(cut)) << size;
    EXPECT_EQ(shape_problem(cut), "is cut off; copy or build it again") << size;
    expect_says(explain({cut, How::died, "SIGBUS"}, TorchBuild::cpu), ErrorKind::usage,
                {"it is cut off"});
  }
}

TEST(BuiltForWhat, IsToldByNamesAndNotByChance) {
  struct Row {
    Unmet unmet;
    BuiltFor built_for;
  };
  const std::vector<Row> rows = {
      {{{"libcudart.so.12"}, {}}, BuiltFor::cuda},
      {{{"libc10_cuda.so"}, {"PyModule_Create2"}}, BuiltFor::cuda},
      {{{}, {"__cudaRegisterFatBinary"}}, BuiltFor::cuda},
      {{{}, {"cuLaunchKernel"}}, BuiltFor::cuda},
      {{{}, {"_ZN3c104cuda20getCurrentCUDAStreamEa"}}, BuiltFor::cuda},
      {{{}, {"ncclAllReduce"}}, BuiltFor::cuda},
      {{{"libamdhip64.so.6"}, {}}, BuiltFor::hip},
      {{{"libc10_hip.so"}, {"_ZN3c104cuda20getCurrentCUDAStreamEa"}}, BuiltFor::hip},
      {{{}, {"__hipRegisterFatBinary"}}, BuiltFor::hip},
      {{{}, {"miopenCreate"}}, BuiltFor::hip},
      {{{"libtorch_python.so"}, {}}, BuiltFor::python},
      {{{}, {"_Py_NoneStruct"}}, BuiltFor::python},
      {{{}, {"cudaric"}}, BuiltFor::something_else},
      {{{}, {"curious", "hippo", "python_like"}}, BuiltFor::something_else},
      {{{"libmine.so"}, {"_ZN4flat2atEi"}}, BuiltFor::something_else},
      {{{}, {"aoti_torch_new_function"}}, BuiltFor::other_torch},
  };
  for (const Row& row : rows) {
    const std::string name =
        row.unmet.libraries.empty() ? row.unmet.symbols.front() : row.unmet.libraries.front();
    EXPECT_EQ(built_for(row.unmet), row.built_for) << name;
  }
}

TEST(ElfSymbols, TellWhatIsGivenAndWhatIsWanted) {
  const auto library =
      ElfFile::open(fs::path(PARITY_OPERATOR_LIBRARIES) / "libparity_wants_solver.so");
  ASSERT_TRUE(library);
  std::map<std::string, ElfSymbol::Place> places;
  for (const ElfSymbol& symbol : library->symbols()) places[symbol.name] = symbol.place;
  EXPECT_EQ(places.at("_Z3usev"), ElfSymbol::Place::here);
  EXPECT_EQ(places.at("solver_of_somebody"), ElfSymbol::Place::elsewhere);
  EXPECT_EQ(places.at("__cxa_finalize"), ElfSymbol::Place::elsewhere_if_at_all);
}

}  // namespace
}  // namespace parity::host
