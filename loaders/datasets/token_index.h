// The index of documents that Megatron-LM's tools write next to a file of tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace loadline {

// The contents of an index's head. The format is that of IndexedDataset in NVIDIA's Megatron-LM
// (megatron/core/datasets/indexed_dataset.py), little-endian, without gaps: "MMIDIDX\0\0", version 1 in 8 bytes, the
// code of the element type in one, the number of sequences and of entries in the list of documents in 8 each; then
// the tokens of each sequence in 4 bytes, the byte at which each begins in 8, and the first sequence of each document
// in 8, with the number of sequences at the end.
struct TokenIndexFacts {
  std::size_t token_bytes = 0;  // 2 or 4
  std::size_t sequences = 0;
  std::size_t documents = 0;
  std::size_t tokens = 0;  // in all sequences
};

// Reads the head of the index and its last sequence. Throws Error naming the path and what is wrong.
TokenIndexFacts read_token_index_facts(const std::filesystem::path& path);

// The first token of each document, and at the end the number of all tokens. Reads the whole index, and checks that
// sequences follow each other without gaps. Throws Error naming the path and what is wrong.
std::vector<std::uint64_t> read_document_starts(const std::filesystem::path& path);

}  // namespace loadline
