// The formats that open_dataset() chooses from: the functions behind the rows of its table.
#pragma once

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"

namespace loadline {

// IDX, as MNIST, Fashion-MNIST and KMNIST are published (Y. LeCun, C. Cortes, C. J. C. Burges: "The MNIST
// database of handwritten digits", which defines the format): `train-` or `t10k-` images and labels in a directory,
// each plain (mapped) or .gz (inflated once into huge-page memory while opening). Images [count, height, width] u8.
bool recognises_idx(const std::filesystem::path& path);
// What its compressed images take of memory once they are inflated, by their header; nullopt where they are plain.
// Throws Error as open_idx().
std::optional<std::uint64_t> inflated_idx_bytes(const std::filesystem::path& path, const DatasetOptions& options);
std::unique_ptr<Dataset> open_idx(const std::filesystem::path& path, const DatasetOptions& options);

// CIFAR-10 and CIFAR-100 binary versions (A. Krizhevsky: "Learning multiple layers of features from tiny images",
// 2009, and the dataset's own page): records of one label byte (CIFAR-100: coarse, then fine) and 3 x 32 x 32 planar
// bytes. A directory of batch files, of which `split` chooses, or one file.
bool recognises_cifar10(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_cifar10(const std::filesystem::path& path, const DatasetOptions& options);
bool recognises_cifar100(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_cifar100(const std::filesystem::path& path, const DatasetOptions& options);

// HDF5: one dataset of images, u8 [samples, channels, height, width] or [samples, height, width], and one of labels,
// whole numbers [samples], whose attribute `classes` counts the classes (without it: the highest label and one). Mapped
// where the images lie in one piece, uncompressed; otherwise read in chunks.
//
// Or packed: encoded images of any size, back to back in the dataset `encoded`, u8 [bytes]; `offsets`, u64 [samples +
// 1], says where each begins and the last ends; labels as above.
inline constexpr std::string_view kPackedBytes = "encoded";
inline constexpr std::string_view kPackedOffsets = "offsets";
// How much memory the inflated chunks of one file may take, that are kept for those who read their neighbours.
inline constexpr std::size_t kInflatedChunksBytes = std::size_t{64} << 20;
bool has_hdf5_name(const std::filesystem::path& path);  // .h5, .hdf5 or .hdf
bool recognises_hdf5(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_hdf5(const std::filesystem::path& path, const DatasetOptions& options);

// One directory a class, in the order of their names, with one image file a sample, as ImageNet is laid out; below
// `train` and `val` where there are such. The images are encoded: decoding them is the transform's.
bool recognises_image_folder(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_image_folder(const std::filesystem::path& path, const DatasetOptions& options);

// NumPy arrays: images u8 [N, H, W, C], [N, C, H, W] or [N, H, W] and labels, whole numbers [N] or [N, 1]; as
// images.npy and labels.npy in a directory, or in one .npz. Also by the names of Keras (x_train, y_train, x_test,
// y_test) and of MedMNIST (train_images, train_labels, test_images, test_labels). Mapped, with channels last turned
// into planes as they are read; what is deflated in an .npz is inflated once into huge-page memory while opening.
bool recognises_npy(const std::filesystem::path& path);
// What its deflated images take of memory once they are inflated; nullopt where they are not deflated. Throws Error as
// open_npy().
std::optional<std::uint64_t> inflated_npz_bytes(const std::filesystem::path& path, const DatasetOptions& options);
std::unique_ptr<Dataset> open_npy(const std::filesystem::path& path, const DatasetOptions& options);

// WebDataset (A. Aizman, G. Maltby, T. Breuel: "High performance I/O for large scale deep learning", IEEE Big Data
// 2019): tar archives in which the files of a sample stand side by side and have a name in common up to its first
// point: key.jpg or another image, key.cls with the label as text or key.json with a member `label`, `cls` or `class`.
// One archive or a directory of them. Mapped; where the images begin is found by reading all headers once (shards.h).
bool recognises_webdataset(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_webdataset(const std::filesystem::path& path, const DatasetOptions& options);

// TFRecord (TensorFlow's "TFRecord and tf.train.Example"): records with checksums, each a tf.train.Example with the
// features image/encoded and image/class/label, or image and label as TensorFlow Datasets names them. One file or a
// directory of them. Mapped; where the images begin is found by reading the head of each record once (shards.h).
bool recognises_tfrecord(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_tfrecord(const std::filesystem::path& path, const DatasetOptions& options);

// Volumes, as the SC22 tutorial "Deep learning at scale" has its cosmology data (NERSC): datasets `Nbody` [channels, N,
// N, N] and `Hydro` [channels, N, N, N], f32, in one HDF5 file, or in Nbody.npy and Hydro.npy in a directory. Mapped
// where they lie in one piece; of HDF5 also one read of a box a sample, by the library.
bool recognises_volume(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_volume(const std::filesystem::path& path, const DatasetOptions& options);

// Tokens, as trainers of language models keep them: one row of numbers in a file, u16 or u32, little-endian, as nanoGPT
// has them (A. Karpathy, data/openwebtext/prepare.py): `train.bin` and `val.bin` in a directory, or one file. An index
// of Megatron-LM beside it (token_index.h), of the same name with .idx, tells the type and the documents.
bool recognises_tokens(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_tokens(const std::filesystem::path& path, const DatasetOptions& options);

// Text in UTF-8: a document a line of .txt files, a member of the JSON object on each line of .jsonl files, or a file a
// document, in a directory and those below it. One file, or a directory: of .jsonl; of .txt that are named for splits
// (train.txt), whose lines are documents; of other .txt, which are documents themselves. Empty ones count for none.
// Mapped, but for a file a document; where lines begin is found by reading all once (shards.h). A directory is
// recognised where it and those in it hold nothing else than text, models of tokens, and readme, licence and .md files.
bool recognises_text(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_text(const std::filesystem::path& path, const DatasetOptions& options);

}  // namespace loadline
