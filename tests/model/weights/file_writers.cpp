#include "model/weights/file_writers.h"

#include <cstring>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zip.h>

namespace parity::model::testing {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "parity_weights_XXXXXX").string();
  PARITY_CHECK(::mkdtemp(name.data()) != nullptr);
  folder_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::string& name,
                                             std::string_view content) const {
  const std::filesystem::path file = path(name);
  std::ofstream stream(file, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  stream.close();
  PARITY_CHECK(stream.good());
  return file;
}

FileBytes bytes_of(std::string content) {
  auto owner = std::make_shared<const std::string>(std::move(content));
  const std::span<const std::byte> view = std::as_bytes(std::span(*owner));
  return {view, std::move(owner)};
}

std::string little(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(value & 0xffU);
    value >>= 8U;
  }
  return bytes;
}

std::string floats(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string zip_of(const Records& records, Packing packing) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  PARITY_CHECK(target != nullptr);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, &error);
  PARITY_CHECK(archive != nullptr);
  for (const auto& [name, content] : records) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    PARITY_CHECK(index >= 0);
    const zip_int32_t method = packing == Packing::stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE;
    PARITY_CHECK(zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), method, 0) ==
                 0);
  }
  PARITY_CHECK(zip_close(archive) == 0);
  PARITY_CHECK(zip_source_open(target) == 0);
  zip_stat_t status;
  PARITY_CHECK(zip_source_stat(target, &status) == 0);
  std::string bytes(status.size, '\0');
  PARITY_CHECK(zip_source_read(target, bytes.data(), bytes.size()) ==
               static_cast<zip_int64_t>(bytes.size()));
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace parity::model::testing

namespace parity::model::testing::pickled {

std::string program(const std::string& object) {
  return std::string("\x80\x02").append(object).append(".");
}

std::string text(std::string_view value) {
  return std::string("X").append(little(value.size(), 4)).append(value);
}

std::string integer(std::int32_t value) {
  return std::string("J").append(little(static_cast<std::uint32_t>(value), 4));
}

std::string global(const std::string& module, const std::string& name) {
  return std::string("c").append(module).append("\n").append(name).append("\n");
}

std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}

std::string list(const std::vector<std::string>& items) {
  std::string all = "](";
  for (const std::string& item : items) all += item;
  return all + "e";
}

std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = "}(";
  for (const auto& [key, value] : items) all += text(key) + value;
  return all + "u";
}

std::string call(const std::string& function, const std::vector<std::string>& items) {
  return function + tuple(items) + "R";
}

std::string integers(const std::vector<std::int32_t>& values) {
  std::vector<std::string> items;
  for (const std::int32_t value : values) items.push_back(integer(value));
  return tuple(items);
}

std::string storage(const std::string& type, const std::string& key, std::int32_t elements,
                    const std::string& location) {
  return tuple({text("storage"), global("torch", type), text(key), text(location),
                integer(elements)}) +
         "Q";
}

std::string tensor(const std::string& storage, std::int32_t offset,
                   const std::vector<std::int32_t>& sizes,
                   const std::vector<std::int32_t>& strides) {
  return call(global("torch._utils", "_rebuild_tensor_v2"),
              {storage, integer(offset), integers(sizes), integers(strides), "\x89",
               call(global("collections", "OrderedDict"), {})});
}

}  // namespace parity::model::testing::pickled
