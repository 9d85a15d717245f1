#include "tests/fuzz/replay.h"
#include "tests/loaders/support/jpegs.h"

namespace loadline::test {

std::vector<std::vector<std::uint8_t>> fuzz_seeds() {
  std::vector<Bytes> seeds;
  for (JpegKind kind : jpeg_kinds()) {
    seeds.push_back(jpeg_of(photo({.height = 33, .width = 50}), kind));
    kind.app1 = exif(Orientation::kTurnRight, true);
    seeds.push_back(jpeg_of(photo({.height = 40, .width = 17}), kind));
  }
  seeds.push_back(jpeg_of(photo({.height = 33, .width = 50}, 1)));
  seeds.push_back(jpeg_of(photo({.height = 33, .width = 50}, 4)));
  seeds.push_back(jpeg_of(photo({.height = 33, .width = 50}, 4), {.across = 2, .down = 2, .ycck = true}));
  return seeds;
}

}  // namespace loadline::test
