#include "loaders/storage/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

class Npy : public testing::Test {
 protected:
  // Writes a file of this version with this header.
  void put(const std::string& header, char version = 1) const {
    std::string bytes = std::string("\x93NUMPY", 6) + version + '\0';
    bytes += static_cast<char>(header.size() & 0xffU);
    bytes += static_cast<char>(header.size() >> 8U);
    if (version > 1) bytes += std::string(2, '\0');
    test::write(path_, bytes + header);
  }
  std::string refusal() const {
    const std::string message = test::thrown_by([&] { read_npy_facts(path_); }).message;
    const std::string start = "cannot open " + path_.string() + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
  }

  const test::TemporaryDirectory home_;
  const std::filesystem::path path_ = home_ / "array.npy";
};

TEST_F(Npy, IsReadAsNumPyWritesIt) {
  put("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 256, 256, 256), }            \n");
  const NpyFacts facts = read_npy_facts(path_);
  EXPECT_EQ(facts.dtype, "<f4");
  EXPECT_FALSE(facts.column_major);
  EXPECT_THAT(facts.extents, ElementsAre(4, 256, 256, 256));
  EXPECT_EQ(facts.offset_bytes, 94U);
}

TEST_F(Npy, HasAnyOrderOfKeysAndAnyNumberOfExtents) {
  put("{'shape': (7,), 'fortran_order': True, 'descr': '>f8'}\n", 2);
  const NpyFacts facts = read_npy_facts(path_);
  EXPECT_EQ(facts.dtype, ">f8");
  EXPECT_TRUE(facts.column_major);
  EXPECT_THAT(facts.extents, ElementsAre(7));
  EXPECT_EQ(facts.offset_bytes, 12U + 55U);
  put("{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n");
  EXPECT_THAT(read_npy_facts(path_).extents, ElementsAre());
}

TEST_F(Npy, IsStructuredIfItHoldsRecords) {
  put("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n");
  EXPECT_EQ(read_npy_facts(path_).dtype, "structured");
}

TEST_F(Npy, HeaderCanBeReadBackAndFillsWholeLines) {
  for (const auto& extents : {std::vector<std::uint64_t>{4, 8, 8, 8}, {1000000, 20000, 3}, {5}}) {
    const std::string header = npy_header(extents);
    EXPECT_EQ(header.size() % 64, 0U);
    EXPECT_EQ(header.back(), '\n');
    test::write(path_, header);
    const NpyFacts facts = read_npy_facts(path_);
    EXPECT_EQ(facts.extents, extents);
    EXPECT_EQ(facts.dtype, "<f4");
    EXPECT_FALSE(facts.column_major);
    EXPECT_EQ(facts.offset_bytes, header.size());
  }
}

TEST_F(Npy, IsRefusedIfItsFormatIsUnknown) {
  test::write(path_, "");
  EXPECT_EQ(refusal(), "not a NumPy array (.npy): it is too short");
  test::write(path_, "PK\x03\x04, a zip file");
  EXPECT_EQ(refusal(), "not a NumPy array (.npy): its first bytes differ");
  put("{}", 9);
  EXPECT_EQ(refusal(), "version 9 of its format is unknown");
}

TEST_F(Npy, IsRefusedWithABrokenHeader) {
  put("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
  std::string bytes = test::bytes_of(path_);
  test::write(path_, bytes.substr(0, 30));
  EXPECT_EQ(refusal(), "its header claims 57 bytes, the file has 30 (truncated or corrupt)");
  put("{'descr': '<f4', 'shape': (2,), }");
  EXPECT_EQ(refusal(), "its header lacks descr, fortran_order or shape");
  put("{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }");
  EXPECT_EQ(refusal(), "the shape in its header cannot be read");
  put("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }");
  EXPECT_EQ(refusal(), "the shape in its header cannot be read");
}

}  // namespace
}  // namespace loadline
