#include "loaders/plugin/plugin.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using test::failed;
using test::kPlugins;
using test::thrown_by;
using test::usage;

std::string module(const std::string& name) {
  return kPlugins + name + ".so";
}

test::Thrown refusal(const std::string& word) {
  return thrown_by([&] { open_plugin(word); });
}

TEST(PluginWord, NamesASharedLibraryByItsPath) {
  for (const char* word : {"./libmine.so", "libmine.so", "/opt/mine", "./libmine.so:shards=8", "a/b:c=d"}) {
    EXPECT_TRUE(names_plugin(word)) << word;
  }
  for (const char* word : {"serial", "train.py:make_loader", "./train.py:make_loader", "replay:file=a/b.json"}) {
    EXPECT_FALSE(names_plugin(word)) << word;
  }
}

TEST(PluginWord, HasOptionsAfterAColon) {
  using Options = std::vector<std::pair<std::string, std::string>>;
  const PluginWord word = parse_plugin("./libmine.so:shards=8,index=/data/i:1,note=");

  EXPECT_EQ(word.path, "./libmine.so");
  EXPECT_EQ(word.options, (Options{{"shards", "8"}, {"index", "/data/i:1"}, {"note", ""}}));
  EXPECT_TRUE(parse_plugin("./libmine.so").options.empty());
}

TEST(PluginWord, RefusesMalformedOptions) {
  EXPECT_EQ(thrown_by([] { parse_plugin("./a.so:fast"); }), usage("plug-in ./a.so: option 'fast': want key=value"));
  EXPECT_EQ(thrown_by([] { parse_plugin("./a.so:=3"); }), usage("plug-in ./a.so: option '=3': want key=value"));
  EXPECT_EQ(thrown_by([] { parse_plugin("./a.so:"); }), usage("plug-in ./a.so: option '': want key=value"));
}

TEST(Plugin, IsALoaderThatReportsItsOrigin) {
  const LoaderKind kind = open_plugin(module("faulty") + ":fault=none");

  EXPECT_EQ(kind.name, module("faulty") + ":fault=none");
  EXPECT_EQ(kind.summary, "plug-in faulty");
  EXPECT_TRUE(kind.has_workers);
  EXPECT_TRUE(kind.external);
  EXPECT_EQ(kind.hang, Hang::kForEver);
  EXPECT_EQ(kind.origin.name, "faulty");
  EXPECT_EQ(kind.origin.version, "2.5");
  EXPECT_EQ(kind.origin.path, std::filesystem::canonical(module("faulty")).string());
  EXPECT_FALSE(open_plugin(module("plain")).has_workers);
}

TEST(Plugin, SaysItsNameWithoutCommandingTheTerminal) {
  const LoaderKind kind = open_plugin(module("rings"));

  EXPECT_EQ(kind.summary, "plug-in rings\\x07");
  EXPECT_EQ(kind.origin.name, "rings\\x07");
  EXPECT_EQ(kind.origin.version, "\\x1b[31m1");
}

TEST(Plugin, IsNamedByItsFileIfItDoesNotSayItsName) {
  const LoaderKind kind = open_plugin(module("nameless"));

  EXPECT_EQ(kind.summary, "plug-in nameless.so");
  EXPECT_EQ(kind.origin.name, "");
  EXPECT_EQ(kind.origin.version, "");
}

TEST(Plugin, IsFoundByItsPathAmongTheLoaders) {
  const LoaderKind& kind = loader_named(module("plain"));

  EXPECT_EQ(kind.origin.name, "plain");
  EXPECT_EQ(&loader_named(module("plain")), &kind);
}

TEST(Plugin, IsRefusedIfItsPathIsNotASharedLibrary) {
  const test::TemporaryDirectory home;
  const std::string missing = (home / "missing.so").string();
  const std::string text = (home / "text.so").string();
  test::write(text, "no library");

  EXPECT_EQ(refusal(missing), failed("plug-in " + missing + ": there is no file " + missing));
  std::filesystem::create_symlink("circle.so", home / "circle.so");
  const std::string circle = (home / "circle.so").string();
  EXPECT_EQ(refusal(circle),
            failed("plug-in " + circle + ": cannot open " + circle + ": Too many levels of symbolic links"));
  EXPECT_EQ(refusal(home.path().string()),
            failed("plug-in " + home.path().string() + ": it is a directory, not a shared library"));
  EXPECT_EQ(refusal(text), failed("plug-in " + text + ": it cannot be loaded as a shared library: file too short"));
}

TEST(Plugin, IsRefusedIfItIsIncomplete) {
  EXPECT_EQ(refusal(module("no_symbol")),
            failed("plug-in " + module("no_symbol") +
                   ": it has no function loadline_plugin(), which loadline/plugin.h requires"));
  EXPECT_EQ(refusal(module("no_table")), failed("plug-in " + module("no_table") + ": loadline_plugin() returned NULL"));
  EXPECT_EQ(refusal(module("no_next")), failed("plug-in " + module("no_next") + ": its table has no function next"));
  EXPECT_EQ(refusal(module("throws")),
            failed("plug-in " + module("throws") + ": loadline_plugin() threw an exception without a message"));
}

TEST(Plugin, IsRefusedIfMadeForAnotherVersion) {
  EXPECT_EQ(refusal(module("other_version")), failed("plug-in " + module("other_version") +
                                                     ": it was made for version 99 of loadline/plugin.h, but this "
                                                     "loadline has version 1; compile it with this loadline's header"));
}

}  // namespace
}  // namespace loadline
