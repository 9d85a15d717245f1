#include "harness/plan/workloads.h"

#include <array>

#include "loaders/system/environment.h"

namespace loadline {
namespace {

// Mean and standard deviation of the training pixels in [0, 1], as commonly published for each dataset; those of
// Fashion-MNIST were computed from its 60,000 training images.
//
// The computes are rates to start from, not measurements of anybody's accelerator. 150,000 samples/s is a network that
// trains CIFAR-10 to 94 % on one A100 in 3.29 s and 9.9 epochs of 50,000 (K. Jordan, arXiv:2404.00498, 2024); the MNIST
// rate is an assumption of the same order for a network with a tenth of the work.
const std::array kWorkloads{
    Workload{.name = "fashion-mnist",
             .summary = "Fashion-MNIST, 60,000 real images 1x28x28, normalised",
             .directory = "/usr/share/datasets/fashion-mnist",
             .how_to_get_it = "apt-get install dataset-fashion-mnist",
             .classes = 10,
             .batch_size = 512,
             .mean = {0.2860},
             .stddev = {0.3530},
             .crop_padding = 0,
             .flip = false,
             .compute = "device:samples_per_second=1000000"},
    Workload{.name = "mnist",
             .summary = "MNIST or a stand-in for it, 1x28x28, normalised",
             .directory = "mnist",
             .how_to_get_it = "loadline data make mnist {}",
             .classes = 10,
             .batch_size = 512,
             .mean = {0.1307},
             .stddev = {0.3081},
             .crop_padding = 0,
             .flip = false,
             .compute = "device:samples_per_second=1000000"},
    Workload{.name = "cifar10",
             .summary = "CIFAR-10 or a stand-in for it, 3x32x32, padded crop, flip, normalised",
             .directory = "cifar10",
             .how_to_get_it = "loadline data make cifar10 {}",
             .classes = 10,
             .batch_size = 512,
             .mean = {0.4914, 0.4822, 0.4465},
             .stddev = {0.2470, 0.2435, 0.2616},
             .crop_padding = 4,
             .flip = true,
             .compute = "device:samples_per_second=150000"},
    Workload{.name = "cifar100",
             .summary = "CIFAR-100 or a stand-in for it, 3x32x32, padded crop, flip, normalised",
             .directory = "cifar100",
             .how_to_get_it = "loadline data make cifar100 {}",
             .classes = 100,
             .batch_size = 512,
             .mean = {0.5071, 0.4865, 0.4409},
             .stddev = {0.2673, 0.2564, 0.2762},
             .crop_padding = 4,
             .flip = true,
             .compute = "device:samples_per_second=150000"},
    Workload{.name = "photos",
             .summary =
                 "photographs in one directory per class, random resized crop to 224, flip, normalised as for ImageNet",
             .directory = "photos",
             .how_to_get_it = "loadline data make photos {} --from PHOTOGRAPHS",
             .classes = 1000,
             .batch_size = 64,
             .mean = {0.485, 0.456, 0.406},
             .stddev = {0.229, 0.224, 0.225},
             .crop_padding = 0,
             .flip = true,
             .compute = "device:samples_per_second=1500",
             .photographs = true},
    Workload{.name = "nbody",
             .summary = "cosmology: 64^3 crops of a simulation's two fields, 4 and 5 channels, rotated at random",
             .directory = "nbody.h5",
             .how_to_get_it = "loadline data make nbody {}",
             .classes = 1,
             .batch_size = 4,
             .mean = {},
             .stddev = {},
             .crop_padding = 0,
             .flip = false,
             .compute = "device:samples_per_second=40",
             .volumes = true},
    Workload{.name = "tokens",
             .summary = "language: sequences of 256 tokens from a vocabulary of 256, for a small model",
             .directory = "tokens",
             .how_to_get_it = "loadline data make tokens {}",
             .classes = 256,
             .batch_size = 64,
             .mean = {},
             .stddev = {},
             .crop_padding = 0,
             .flip = false,
             .compute = "device:samples_per_second=50000",
             .tokens = true},
    Workload{.name = "text",
             .summary = "language: text documents, tokenised by the workers, 256 tokens each, for a small model",
             .directory = "text",
             .how_to_get_it = "loadline data make text {}",
             .classes = 256,
             .batch_size = 64,
             .mean = {},
             .stddev = {},
             .crop_padding = 0,
             .flip = false,
             .compute = "device:samples_per_second=50000",
             .tokens = true,
             .text = true},
};

}  // namespace

std::span<const Workload> workloads() {
  return kWorkloads;
}

std::filesystem::path data_directory() {
  if (const auto own = variable("LOADLINE_DATA")) return *own;
  if (const auto cache = cache_directory()) return *cache / "loadline";
  return "loadline-data";
}

std::filesystem::path default_path(const Workload& workload, const std::filesystem::path& data_directory) {
  return data_directory / workload.directory;  // an absolute directory replaces the one before it
}

}  // namespace loadline
