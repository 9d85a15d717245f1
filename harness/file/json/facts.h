// JSON of the facts of a run: build, machine, job, datasets.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/file/json/record.h"
#include "harness/file/json/word_fields.h"
#include "harness/result/result.h"

namespace loadline {

// 64 bits as 16 hexadecimal digits; the inverse throws Error that says what is wanted.
std::string hex(std::uint64_t value);
std::uint64_t parse_hex(const std::string& text);
// The same for a value that may be absent.
std::optional<std::string> hex_of(std::optional<std::uint64_t> value);
std::optional<std::uint64_t> parse_hex_or_none(const std::optional<std::string>& text);

// Channels, height and width; absent where they are 0, which means that they differ between samples.
using Extents = std::vector<std::optional<std::size_t>>;
Extents extents_of(const ImageShape& shape);
ImageShape shape_of(const Extents& extents);

// As many as a result lists: a million names of photographs would bury the figures.
std::vector<std::filesystem::path> first_of(const FileNames& files);

// A member for each.
void libraries_fields(RecordWriter& json, const std::vector<Build::Library>& libraries);
void libraries_fields(RecordReader& json, std::vector<Build::Library>& libraries);

// The names of versions are values, not fields.
void versions_fields(RecordWriter& json, const std::map<std::string, std::string>& versions);
void versions_fields(RecordReader& json, std::map<std::string, std::string>& versions);

void fields(auto& json, Record<Build> auto& build) {
  json("version", build.version);
  json("build_type", build.build_type);
  json("compiler", build.compiler);
  json("flags", build.flags);
  json("sanitizer", build.sanitizer);
  json.object("libraries", [&](auto& inner) { libraries_fields(inner, build.libraries); });
  json("git_revision", build.git_revision);
  json("git_dirty", build.git_dirty);
}

void fields(auto& json, Record<Machine> auto& machine) {
  json("hostname", machine.hostname);
  json("operating_system", machine.operating_system);
  json("kernel_release", machine.kernel_release);
  json("architecture", machine.architecture);
  json("virtualised", machine.virtualised);
  json("cpu_model", machine.cpu_model);
  json("sockets", machine.sockets);
  json("physical_cores", machine.physical_cores);
  json("logical_cpus", machine.logical_cpus);
  json("numa_nodes", machine.numa_nodes);
  json("cpu_governor", machine.cpu_governor);
  json("clocksource", machine.clocksource);
  json("load_average_1_minute", machine.load_average_1_minute);
  json("affinity_cpus", machine.affinity_cpus);
  json("affinity_list", machine.affinity_list);
  json("cgroup_cpu_limit", machine.cgroup_cpu_limit);
  json.positive("threads_in_force", machine.threads_in_force);
  json("memory_total_bytes", machine.memory_total_bytes);
  json("memory_available_bytes", machine.memory_available_bytes);
  json("cgroup_memory_limit_bytes", machine.cgroup_memory_limit_bytes);
  json("page_size_bytes", machine.page_size_bytes);
  json("transparent_huge_pages", machine.transparent_huge_pages);
  json("l1d_cache_bytes", machine.l1d_cache_bytes);
  json("l2_cache_bytes", machine.l2_cache_bytes);
  json("l3_cache_bytes", machine.l3_cache_bytes);
  json("l3_sharing_cpus", machine.l3_sharing_cpus);
  json("last_level_cache_bytes", machine.last_level_cache_bytes);
}

void fields(auto& json, Record<Job> auto& job) {
  json("scheduler", job.scheduler);
  json("id", job.id);
  json("array_id", job.array_id);
  json("array_index", job.array_index);
  json("name", job.name);
  json("partition", job.partition);
  json("nodes", job.nodes);
  json("node_count", job.node_count);
  json("cpus", job.cpus);
  json("total_cpus", job.total_cpus);
  json("memory_bytes", job.memory_bytes);
  json("ends", job.ends);
  json("restarts", job.restarts);
}

void fields(auto& json, Record<MemoryUse> auto& memory) {
  json("needed_bytes", memory.needed_bytes);
  json("largest", memory.largest);
  json("largest_bytes", memory.largest_bytes);
  json("available_bytes", memory.available_bytes);
  none_as_null(json, "limit", memory.limit);
}

void fields(auto& json, Record<Residency> auto& residency) {
  json("pages", residency.pages);
  json("resident_pages", residency.resident_pages);
}

void fields(auto& json, Record<CacheLooks> auto& looks) {
  json("before", looks.before);
  json("after", looks.after);
}

void fields(auto& json, Record<VolumeShape> auto& volume) {
  json.positive("edge", volume.edge);
  json("input_channels", volume.input_channels);
  json("target_channels", volume.target_channels);
}

void fields(auto& json, Record<TokenShape> auto& tokens) {
  json.positive("tokens", tokens.tokens);
  json.positive("token_bytes", tokens.token_bytes);
  json("documents", tokens.documents);
  json("sequence_length", tokens.sequence_length);
  word(json, "sequences", tokens.sequences,
       std::array{Sequences::kRandom, Sequences::kConsecutive, Sequences::kDocuments});
}

void fields(auto& json, Record<TextShape> auto& text) {
  json.positive("documents", text.documents);
  json.positive("bytes", text.bytes);
  word(json, "stored_as", text.stored_as,
       std::array{TextDocuments::kLines, TextDocuments::kJsonLines, TextDocuments::kFiles});
  json("tokenizer", text.tokenizer);
  json.positive("vocabulary", text.vocabulary);
  json("sequence_length", text.sequence_length);
  word(json, "sequences", text.sequences, std::array{Sequences::kPadded, Sequences::kPacked});
  json("row_bytes", text.row_bytes);
}

void fields(auto& json, Record<StorageFacts> auto& storage) {
  json("file_system", storage.file_system);
  json("device", storage.device);
  json("mount_point", storage.mount_point);
  json("mount_options", storage.mount_options);
  json("network", storage.network);
  json("rotational", storage.rotational);
  json("device_model", storage.device_model);
}

void fields(auto& json, Record<DeliveredFormat> auto& format) {
  json("dtype", format.dtype);
  json("shape", format.shape);
  json("labels", format.labels);
  json("indices", format.indices);
  json.late("batch_size", format.batch_size);
}

void fields(auto& json, Record<ExternalLoader> auto& loader) {
  json("loader", loader.loader);
  json("name", loader.origin.name);
  json("version", loader.origin.version);
  json("path", loader.origin.path);
  json("delivered", loader.delivered);
}

void fields(auto& json, Record<NamedFile> auto& file) {
  json("named_by", file.named_by);
  json("path", file.path);
  json.converted("hash", file.hash, hex, parse_hex);
}

void fields(auto& json, Record<OnNode> auto& part) {
  json("node", part.node);
  json("count", part.count);
}

void fields(auto& json, Record<StagedCopy> auto& staged) {
  json("from", staged.from);
  json("files", staged.files);
  json("bytes", staged.bytes);
  json.positive("nodes", staged.nodes);
  json("copied_nodes", staged.copied_nodes);
  json("seconds", staged.seconds);
}

void fields(auto& json, Record<DatasetFacts> auto& facts) {
  auto& info = facts.info;
  json("path", facts.path);
  json.late("canonical_path", facts.canonical_path);
  json.late("staged", facts.staged);
  json("format", info.format);
  none_as_null(json, "samples", info.samples);
  json.converted("shape", info.shape, extents_of, shape_of);
  json.late("channels_last", info.channels_last);
  json("volume", info.volume);
  json.late("tokens", info.tokens);
  json.late("text", info.text);
  json("encoded", info.encoded);
  json.derived("dtype", [&] { return stored_type(info); });
  json("classes", info.classes);
  json.converted("files", info.files, first_of,
                 [](const std::vector<std::filesystem::path>& files) { return FileNames(files); });
  json.converted(
      "file_count", facts.files_left_out, [&](std::size_t left_out) { return info.files.size() + left_out; },
      [&](std::size_t count) {
        if (count >= info.files.size()) return count - info.files.size();
        throw Error(fmt::format("want at least the {} files that are listed, got {}", info.files.size(), count));
      });
  json("stored_bytes", info.stored_bytes);
  json.late("sized_files", info.sized_files);
  word(json, "access", info.access,
       std::array{Access::kMapped, Access::kResident, Access::kRows, Access::kBlocks, Access::kChunks, Access::kFiles,
                  Access::kUnknown});
  json.converted("fingerprint", facts.fingerprint, hex_of, parse_hex_or_none);
  json.late("fingerprint_samples", facts.fingerprint_samples);
  json.late("memory_nodes", facts.memory_nodes);
  json("storage", facts.storage);
  json.object("page_cache", [&](auto& inner) {
    inner("found", facts.found);
    inner("before", facts.before);
    inner("after", facts.after);
    inner.late("files", facts.files_looked_at);
  });
}

}  // namespace loadline
