// The two roles of a comparison as types, so that they cannot be swapped by accident.
// Holds values and does nothing with them.
#pragma once

namespace parity::compare {

/// A value from the golden.
template <typename T>
struct Reference {
  T value;
};
template <typename T>
Reference(T) -> Reference<T>;

/// A value from the backend under test.
template <typename T>
struct Candidate {
  T value;
};
template <typename T>
Candidate(T) -> Candidate<T>;

}  // namespace parity::compare
