// Tests of the digest of all weights: every part of every weight counts, and its form is pinned,
// because goldens keep it.
#include "run/model_description.h"

#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

struct Content {
  std::string text;
};

WeightDigest weight(const std::string& name, const Content& content) {
  return {name,
          tensor::DType::float32,
          {2, 3},
          tensor::digest_of(std::as_bytes(std::span(content.text)))};
}

const std::vector<WeightDigest> kWeights = {weight("fc.bias", {"one"}),
                                            weight("fc.weight", {"two"})};

TEST(DigestOfWeights, ChangesWithEveryPartOfAWeight) {
  const tensor::Digest before = digest_of_weights(kWeights);
  EXPECT_EQ(digest_of_weights(kWeights), before);
  auto changed = kWeights;
  changed[1].name = "fc.weigh";
  EXPECT_NE(digest_of_weights(changed), before);
  changed = kWeights;
  changed[1].dtype = tensor::DType::int32;
  EXPECT_NE(digest_of_weights(changed), before);
  changed = kWeights;
  changed[1].shape = {3, 2};
  EXPECT_NE(digest_of_weights(changed), before);
  changed = kWeights;
  changed[1].digest = tensor::Digest{};
  EXPECT_NE(digest_of_weights(changed), before);
}

TEST(DigestOfWeights, ChangesWithANumberOfWeights) {
  EXPECT_NE(digest_of_weights({kWeights[0]}), digest_of_weights(kWeights));
  EXPECT_NE(digest_of_weights({}), digest_of_weights(kWeights));
}

TEST(DigestOfWeights, DoesNotLetNamesRunIntoWhatFollows) {
  const std::string content = "same";
  const WeightDigest plain{
      "a", tensor::DType::float32, {1}, tensor::digest_of(std::as_bytes(std::span(content)))};
  WeightDigest imitating = plain;
  imitating.name = std::string("a\0float32", 9);
  EXPECT_NE(digest_of_weights({plain}), digest_of_weights({imitating}));
}

TEST(DigestOfWeights, IsPinned) {
  EXPECT_EQ(tensor::to_hex(digest_of_weights({})), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(tensor::to_hex(digest_of_weights(kWeights)), "496de0401d41815b9160aad888acda8d");
}

}  // namespace
}  // namespace parity::run
