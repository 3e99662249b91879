#include "golden_store/errno_kind.h"

#include <cerrno>

namespace parity::golden_store {

ErrorKind kind_of_errno(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ENOLCK:
      return ErrorKind::resource;
    default:
      return ErrorKind::store;
  }
}

}  // namespace parity::golden_store
