#include "golden_store/open_golden.h"

#include <string>
#include <utility>

namespace parity::golden_store {
namespace {

H5::H5File open_file(DriverTarget& target, const std::string& name) {
  return {name, H5F_ACC_RDONLY, H5::FileCreatPropList::DEFAULT, target.access_properties()};
}

}  // namespace

OpenGolden::OpenGolden(std::filesystem::path path)
    : path_(std::move(path)),
      sealed_(path_),
      target_(sealed_.descriptor()),
      file_(open_file(target_, path_.string())) {}

}  // namespace parity::golden_store
