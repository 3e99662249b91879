#include "model/weights/torch_file.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "error/error.h"
#include "model/weights/file_kind.h"
#include "model/weights/pickle_reader.h"

namespace parity::model {
namespace {

constexpr std::string_view kMagicBytes = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kLegacyProtocol = 1001;

[[noreturn]] void damaged(const std::string& label, const std::string& what) {
  throw Error(ErrorKind::model, label + " is damaged (" + what + "); copy or save it again");
}

std::uint64_t bytes_of(std::uint64_t elements, std::uint64_t element_bytes,
                       const std::string& label) {
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(elements, element_bytes, &bytes) || bytes >> 62U != 0) {
    damaged(label, "a storage claims " + std::to_string(elements) + " elements");
  }
  return bytes;
}

/// Storages are records of the archive, by key.
class ZipStorages : public StorageFinder {
 public:
  ZipStorages(const ZipArchive& archive, PickleArena& arena, std::string folder, std::string label)
      : archive_(archive), arena_(arena), folder_(std::move(folder)), label_(std::move(label)) {}

  PickleStorage* find(const StorageRequest& request) override {
    PickleStorage*& known = storages_[request.key];
    // As in torch, the first mention of a key decides its type.
    if (known != nullptr) return known;
    const std::optional<FileBytes> record = archive_.read(folder_ + "data/" + request.key);
    if (!record) damaged(label_, "the storage `" + request.key + "` is missing");
    PickleStorage storage = request.type;
    storage.key = request.key;
    storage.size_bytes = bytes_of(request.elements, storage.element_bytes, label_);
    if (record->bytes.size() < storage.size_bytes) {
      damaged(label_, "the storage `" + request.key + "` has " +
                          std::to_string(record->bytes.size()) + " bytes where " +
                          std::to_string(storage.size_bytes) + " are announced");
    }
    storage.bytes = record->bytes.first(storage.size_bytes);
    storage.owner = record->owner;
    known = arena_.make_storage(std::move(storage));
    return known;
  }

 private:
  const ZipArchive& archive_;
  PickleArena& arena_;
  std::string folder_;
  std::string label_;
  std::unordered_map<std::string, PickleStorage*> storages_;
};

/// Storages follow the pickle; what is asked for is remembered until then.
class LegacyStorages : public StorageFinder {
 public:
  LegacyStorages(PickleArena& arena, std::string label) : arena_(arena), label_(std::move(label)) {}

  PickleStorage* find(const StorageRequest& request) override {
    PickleStorage*& root = storages_[request.key];
    if (root == nullptr) root = add(request.type, request.key, request.elements);
    if (!request.view) return root;
    PickleStorage* const whole = root;
    PickleStorage*& part = storages_[request.view->key];
    if (part != nullptr) return part;
    const std::uint64_t offset =
        bytes_of(request.view->offset_elements, request.type.element_bytes, label_);
    part = add(request.type, request.view->key, request.view->elements);
    if (offset > whole->size_bytes || part->size_bytes > whole->size_bytes - offset) {
      damaged(label_, "a view reaches past the end of the storage `" + request.key + "`");
    }
    views_.push_back({part, whole, offset});
    return part;
  }

  /// Reads the raw storages behind the pickles, in the order of `keys`.
  void load(const FileBytes& file, std::size_t position, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      const auto found = storages_.find(key);
      if (found == storages_.end()) damaged(label_, "the storage `" + key + "` belongs to nothing");
      PickleStorage& storage = *found->second;
      if (!holds(file.bytes, position, 8)) damaged(label_, "it ends before its last storage");
      const std::uint64_t elements = little_endian(file.bytes, position, 8);
      position += 8;
      if (bytes_of(elements, storage.element_bytes, label_) != storage.size_bytes) {
        damaged(label_, "the storage `" + key + "` is announced with two sizes");
      }
      if (!holds(file.bytes, position, storage.size_bytes)) {
        damaged(label_, "it ends inside the storage `" + key + "`");
      }
      storage.bytes = file.bytes.subspan(position, storage.size_bytes);
      storage.owner = file.owner;
      position += storage.size_bytes;
    }
    for (const View& view : views_) {
      if (view.whole->bytes.size() != view.whole->size_bytes) continue;  // reported below
      view.part->bytes = view.whole->bytes.subspan(view.offset_bytes, view.part->size_bytes);
      view.part->owner = view.whole->owner;
    }
    for (const auto& [key, storage] : storages_) {
      if (storage->bytes.size() != storage->size_bytes) {
        damaged(label_, "the storage `" + key + "` is missing");
      }
    }
  }

 private:
  struct View {
    PickleStorage* part;
    PickleStorage* whole;
    std::uint64_t offset_bytes;
  };

  PickleStorage* add(const PickleStorage& type, const std::string& key, std::uint64_t elements) {
    PickleStorage storage = type;
    storage.key = key;
    storage.size_bytes = bytes_of(elements, storage.element_bytes, label_);
    return arena_.make_storage(std::move(storage));
  }

  PickleArena& arena_;
  std::string label_;
  std::unordered_map<std::string, PickleStorage*> storages_;
  std::vector<View> views_;
};

bool is_magic(const PickleObject& object) {
  const auto* number = object.as<PickleBigInt>();
  if (number == nullptr) return false;
  std::string_view bytes = number->bytes;
  while (!bytes.empty() && bytes.back() == '\0') bytes.remove_suffix(1);
  return bytes == kMagicBytes;
}

void check_refusal(const Pickle& pickle, const std::string& label) {
  const std::string reason = refusal(pickle, label);
  if (!reason.empty()) throw Error(ErrorKind::model, reason);
}

std::vector<std::string> storage_keys(const PickleObject& list, const std::string& label) {
  const auto* sequence = list.as<PickleSequence>();
  if (sequence == nullptr) damaged(label, "the list of its storages is " + describe(list));
  std::vector<std::string> keys;
  for (const PickleObject* item : sequence->items) {
    const auto* number = item->as<std::int64_t>();
    const std::optional<std::string_view> text = text_of(*item);
    if (number == nullptr && !text) damaged(label, "the key of a storage is " + describe(*item));
    keys.push_back(number != nullptr ? std::to_string(*number) : std::string(*text));
  }
  return keys;
}

}  // namespace

bool is_legacy_torch_file(std::span<const std::byte> bytes) {
  constexpr std::size_t kMagicPickleBytes = 64;  // 15 in protocol 2, 28 in protocol 0
  PickleArena arena;
  try {
    const Pickle pickle =
        read_pickle(bytes.first(std::min(bytes.size(), kMagicPickleBytes)), 0, arena, nullptr, "");
    return pickle.root != nullptr && is_magic(*pickle.root);
  } catch (const Error&) {
    return false;
  }
}

Checkpoint read_torch_zip(const ZipArchive& archive, const std::string& label) {
  const std::string top = archive.top_folder();
  const std::string folder = top.empty() ? top : top + "/";
  const std::optional<FileBytes> order = archive.read(folder + "byteorder");
  if (order && as_text(order->bytes) != "little") {
    throw Error(ErrorKind::model, label +
                                      " was saved on a big-endian machine; load and save it "
                                      "again on a little-endian one");
  }
  const std::optional<FileBytes> record = archive.read(folder + "data.pkl");
  if (!record) damaged(label, "its data.pkl is missing");
  Checkpoint checkpoint{"zip pickle", std::make_shared<PickleArena>(), nullptr};
  checkpoint.arena->keep(record->owner);
  ZipStorages storages(archive, *checkpoint.arena, folder, label);
  const Pickle pickle = read_pickle(record->bytes, 0, *checkpoint.arena, &storages, label);
  check_refusal(pickle, label);
  checkpoint.root = pickle.root;
  return checkpoint;
}

Checkpoint read_legacy_torch_file(const FileBytes& file, const std::string& label) {
  Checkpoint checkpoint{"legacy pickle", std::make_shared<PickleArena>(), nullptr};
  PickleArena& arena = *checkpoint.arena;
  arena.keep(file.owner);
  const Pickle magic = read_pickle(file.bytes, 0, arena, nullptr, label);
  if (magic.root == nullptr || !is_magic(*magic.root)) damaged(label, "its magic number is wrong");
  const Pickle protocol = read_pickle(file.bytes, magic.end, arena, nullptr, label);
  const auto* version = protocol.root == nullptr ? nullptr : protocol.root->as<std::int64_t>();
  if (version == nullptr || *version != kLegacyProtocol) {
    throw Error(ErrorKind::model, label +
                                      " is a torch file of an unknown protocol version; load "
                                      "and save it again with a current PyTorch");
  }
  // Its `little_endian` says nothing about the storages: torch writes those little-endian
  // everywhere.
  const Pickle system = read_pickle(file.bytes, protocol.end, arena, nullptr, label);
  check_refusal(system, label);
  LegacyStorages storages(arena, label);
  const Pickle object = read_pickle(file.bytes, system.end, arena, &storages, label);
  check_refusal(object, label);
  const Pickle keys = read_pickle(file.bytes, object.end, arena, nullptr, label);
  check_refusal(keys, label);
  storages.load(file, keys.end, storage_keys(*keys.root, label));
  checkpoint.root = object.root;
  return checkpoint;
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  const std::string label = file.string();
  const FileBytes mapped = map_file(file);
  if (is_legacy_torch_file(mapped.bytes)) return read_legacy_torch_file(mapped, label);
  if (ZipArchive::looks_like_zip(mapped.bytes)) {
    const ZipArchive archive(mapped, label);
    const std::string top = archive.top_folder();
    const std::string folder = top.empty() ? top : top + "/";
    if (archive.contains(folder + "data.pkl") && !archive.contains(folder + "constants.pkl")) {
      return read_torch_zip(archive, label);
    }
  }
  throw Error(ErrorKind::model, describe_file(file).sentence);
}

StoredTensor stored_tensor(const std::string& name, const PickleTensor& tensor,
                           const std::string& label) {
  if (!tensor.unsupported.empty()) {
    throw Error(ErrorKind::model,
                "the tensor `" + name + "` of " + label + " " + tensor.unsupported);
  }
  const std::span<const std::byte> bytes = tensor.storage->bytes;
  // An empty tensor may begin anywhere.
  const std::uint64_t offset = std::min<std::uint64_t>(tensor.offset_bytes, bytes.size());
  return {name,           *tensor.dtype,         tensor.shape,
          tensor.strides, bytes.subspan(offset), tensor.storage->owner};
}

}  // namespace parity::model
