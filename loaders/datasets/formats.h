// The functions behind the rows of the format table, from which open_dataset() chooses.
#pragma once

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"

namespace loadline {

// IDX, as MNIST, Fashion-MNIST and KMNIST are published (Y. LeCun, C. Cortes, C. J. C. Burges: "The MNIST
// database of handwritten digits", which defines the format): `train-` or `t10k-` images and labels in a directory,
// each plain (mapped) or .gz (inflated once into huge-page memory while opening). Images [count, height, width] u8.
bool recognises_idx(const std::filesystem::path& path);
// Memory that its compressed images take once inflated, according to their header; nullopt if they are plain. Throws
// Error like open_idx().
std::optional<std::uint64_t> inflated_idx_bytes(const std::filesystem::path& path, const DatasetOptions& options);
std::unique_ptr<Dataset> open_idx(const std::filesystem::path& path, const DatasetOptions& options);

// CIFAR-10 and CIFAR-100 binary versions (A. Krizhevsky: "Learning multiple layers of features from tiny images",
// 2009, and the dataset's own page): records of one label byte (CIFAR-100: coarse, then fine) and 3 x 32 x 32 planar
// bytes. A directory of batch files, from which `split` chooses, or one file.
bool recognises_cifar10(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_cifar10(const std::filesystem::path& path, const DatasetOptions& options);
bool recognises_cifar100(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_cifar100(const std::filesystem::path& path, const DatasetOptions& options);

// HDF5: one dataset of images, u8 [samples, channels, height, width], [samples, height, width, channels] or [samples,
// height, width] (image_extents.h tells which), and one of labels, whole numbers [samples] or [samples, 1, ...], whose
// attribute `classes` counts the classes (without it: the highest label plus one). Mapped if the images are contiguous
// and uncompressed; otherwise read in chunks.
//
// Or packed: encoded images of any size, back to back in the dataset `encoded`, u8 [bytes]. `offsets`, u64 [samples +
// 1], has the beginning of each and the end of the last. Labels as above.
inline constexpr std::string_view kPackedBytes = "encoded";
inline constexpr std::string_view kPackedOffsets = "offsets";
// Memory for the inflated chunks of one file that are kept for readers of neighbouring samples.
inline constexpr std::size_t kInflatedChunksBytes = std::size_t{64} << 20;
bool has_hdf5_name(const std::filesystem::path& path);  // .h5, .hdf5 or .hdf
// Whether it has such a name, or is a file that begins with the signature of HDF5.
bool is_hdf5(const std::filesystem::path& path);
bool recognises_hdf5(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_hdf5(const std::filesystem::path& path, const DatasetOptions& options);

// One directory per class, in the order of their names, with one image file per sample, as in ImageNet; below `train`
// and `val` if these exist. Images in directories below that of a class belong to the class. The images are encoded;
// the transform decodes them. Recognised only if a class has an image in its own directory: directories that hold
// images only further below may just as well be several datasets.
bool recognises_image_folder(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_image_folder(const std::filesystem::path& path, const DatasetOptions& options);
// An image that lies where the directories of the classes should be; nullopt: there is none.
std::optional<std::filesystem::path> image_without_class(const std::filesystem::path& path);
// An image further below than in the directory of a class; nullopt: none is among the first 10,000 names.
std::optional<std::filesystem::path> image_in_subdirectory(const std::filesystem::path& path);

// NumPy arrays: images u8 [N, H, W, C], [N, C, H, W] or [N, H, W] and labels, whole numbers [N] or [N, 1]; as
// images.npy and labels.npy in a directory, or in one .npz. Also by the names of Keras (x_train, y_train, x_test,
// y_test) and of MedMNIST (train_images, train_labels, test_images, test_labels). Mapped. Deflated members of an .npz
// are inflated once into huge-page memory while opening.
bool recognises_npy(const std::filesystem::path& path);
// Memory that its deflated images take once inflated; nullopt if they are not deflated. Throws Error like open_npy().
std::optional<std::uint64_t> inflated_npz_bytes(const std::filesystem::path& path, const DatasetOptions& options);
std::unique_ptr<Dataset> open_npy(const std::filesystem::path& path, const DatasetOptions& options);
// Whether it is no directory and is named .npz, or is a file that begins like a zip archive: a file of another name is
// opened to see. Throws Error naming the path if it cannot be read.
bool is_npz(const std::filesystem::path& path);

// WebDataset (A. Aizman, G. Maltby, T. Breuel: "High performance I/O for large scale deep learning", IEEE Big Data
// 2019): tar archives in which the files of a sample are neighbours and share the name up to its first dot: key.jpg
// or another image, and key.cls with the label as text or key.json with a member `label`, `cls` or `class`. One
// archive or a directory of archives. Mapped; one pass over all headers locates the images (shards.h).
bool recognises_webdataset(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_webdataset(const std::filesystem::path& path, const DatasetOptions& options);

// TFRecord (TensorFlow's "TFRecord and tf.train.Example"): records with checksums, each a tf.train.Example with the
// features image/encoded and image/class/label, or image and label as TensorFlow Datasets names them. One file or a
// directory of files. Mapped; one pass over the head of each record locates the images (shards.h).
bool recognises_tfrecord(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_tfrecord(const std::filesystem::path& path, const DatasetOptions& options);

// Volumes, laid out like the cosmology data of the SC22 tutorial "Deep learning at scale" (NERSC): datasets `Nbody`
// [channels, N, N, N] and `Hydro` [channels, N, N, N], f32, in one HDF5 file, or in Nbody.npy and Hydro.npy in a
// directory. Mapped if they are contiguous; HDF5 can also be read by the library, one box per sample.
bool recognises_volume(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_volume(const std::filesystem::path& path, const DatasetOptions& options);

// Tokens, as language model trainers store them: one row of numbers per file, u16 or u32, little-endian, as in
// nanoGPT (A. Karpathy, data/openwebtext/prepare.py): `train.bin` and `val.bin` in a directory, or one file. A
// Megatron-LM index next to it (token_index.h), with the same name and .idx, gives the type and the documents.
bool recognises_tokens(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_tokens(const std::filesystem::path& path, const DatasetOptions& options);

// Text in UTF-8. A document is a line of a .txt file, a member of the JSON object on a line of a .jsonl file, or a
// whole file in a directory or its subdirectories. The path is one file or a directory: of .jsonl files; of .txt
// files named after splits (train.txt), whose lines are documents; or of other .txt files, each a document. Empty
// documents are skipped. Mapped, unless each file is a document; one pass over all bytes locates the lines
// (shards.h). A directory is recognised if it and its subdirectories hold only text, tokenizer models, and readme,
// licence and .md files.
bool recognises_text(const std::filesystem::path& path);
std::unique_ptr<Dataset> open_text(const std::filesystem::path& path, const DatasetOptions& options);

}  // namespace loadline
