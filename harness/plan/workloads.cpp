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
    Workload{"fashion-mnist",
             "Fashion-MNIST, 60,000 real images 1x28x28, normalised",
             "/usr/share/datasets/fashion-mnist",
             "apt-get install dataset-fashion-mnist",
             10,
             512,
             {0.2860},
             {0.3530},
             0,
             false,
             "device:samples_per_second=1000000"},
    Workload{"mnist",
             "MNIST or a stand-in for it, 1x28x28, normalised",
             "mnist",
             "loadline data make mnist {}",
             10,
             512,
             {0.1307},
             {0.3081},
             0,
             false,
             "device:samples_per_second=1000000"},
    Workload{"cifar10",
             "CIFAR-10 or a stand-in for it, 3x32x32, padded crop, flip, normalised",
             "cifar10",
             "loadline data make cifar10 {}",
             10,
             512,
             {0.4914, 0.4822, 0.4465},
             {0.2470, 0.2435, 0.2616},
             4,
             true,
             "device:samples_per_second=150000"},
    Workload{"cifar100",
             "CIFAR-100 or a stand-in for it, 3x32x32, padded crop, flip, normalised",
             "cifar100",
             "loadline data make cifar100 {}",
             100,
             512,
             {0.5071, 0.4865, 0.4409},
             {0.2673, 0.2564, 0.2762},
             4,
             true,
             "device:samples_per_second=150000"},
    Workload{"photos",
             "photographs in one directory per class, random resized crop to 224, flip, normalised as for ImageNet",
             "photos",
             "loadline data make photos {} --from PHOTOGRAPHS",
             1000,
             64,
             {0.485, 0.456, 0.406},
             {0.229, 0.224, 0.225},
             0,
             true,
             "device:samples_per_second=1500"},
    Workload{"nbody",
             "cosmology: 64^3 crops of a simulation's two fields, 4 and 5 channels, rotated at random",
             "nbody.h5",
             "loadline data make nbody {}",
             1,
             4,
             {},
             {},
             0,
             false,
             "device:samples_per_second=40",
             false,
             false,
             true},
    Workload{"tokens",
             "language: sequences of 256 tokens from a vocabulary of 256, for a small model",
             "tokens",
             "loadline data make tokens {}",
             256,
             64,
             {},
             {},
             0,
             false,
             "device:samples_per_second=50000",
             true},
    Workload{"text",
             "language: text documents, tokenised by the workers, 256 tokens each, for a small model",
             "text",
             "loadline data make text {}",
             256,
             64,
             {},
             {},
             0,
             false,
             "device:samples_per_second=50000",
             true,
             true},
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
