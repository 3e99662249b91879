#include "pipeline/compare/tap_places.h"

namespace parity::pipeline {

TapPlaces places_of(const std::vector<run::TapRecord>& taps) {
  TapPlaces places;
  for (std::size_t place = 0; place < taps.size(); ++place) places.emplace(taps[place].id, place);
  return places;
}

}  // namespace parity::pipeline
