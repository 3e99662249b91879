// What test tools write for scripts to read: one JSON line per tap (name, dtype, shape, offset,
// size) in a file, the bytes of all beside it.
#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "model/collecting_sink.h"

namespace parity::model {

/// To `out` and `out`.bin.
inline void write_taps(const CollectingSink& sink, const std::string& out) {
  std::ofstream lines(out);
  std::ofstream bytes(out + ".bin", std::ios::binary);
  std::size_t offset = 0;
  for (const std::string& name : sink.names) {
    const tensor::HostTensor& tensor = sink.tensors.at(name);
    const auto size = tensor.bytes().size();
    lines << nlohmann::json{{"name", name},
                            {"dtype", std::string(tensor::name(tensor.dtype()))},
                            {"shape", tensor.shape()},
                            {"offset", offset},
                            {"size", size}}
                 .dump()
          << '\n';
    bytes.write(reinterpret_cast<const char*>(tensor.bytes().data()),
                static_cast<std::streamsize>(size));
    offset += size;
  }
}

}  // namespace parity::model
