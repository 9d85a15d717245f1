// Special files where the tool needs a regular file: it refuses them at once, by name. Also file names with line ends
// and escape sequences.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "tests/cli/fixture.h"

namespace loadline::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// If the tool waited for one of these files, the test would last the minute after which a silent tool is killed.
class SpecialFiles : public CommandLine {
 protected:
  std::string fifo(const std::string& name) const {
    EXPECT_EQ(::mkfifo((home_ / name).c_str(), 0666), 0);
    return name;
  }

  // The path must fit into sockaddr_un.
  std::string bound_socket(const std::string& name) const {
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    (home_ / name).string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(descriptor);
    return name;
  }
};

TEST_F(SpecialFiles, AreRefusedAsResults) {
  ASSERT_EQ(run(short_run(mnist())).exit_code, 0);
  const std::string pipe = fifo("pipe.json");
  const std::string socket = bound_socket("socket.json");
  const Words verbs[] = {{"report", "--format", "text"},
                         {"diff", "result.json"},
                         {"merge", "result.json"},
                         {"export", "--to", "benchy"},
                         {"run", "--config"},
                         {"run", "--resume"},
                         {"diff", "--noise"}};
  for (const Words& verb : verbs) {
    SCOPED_TRACE(verb.back());
    const Words rest = verb.back() == "--noise" ? Words{"result.json", "result.json"} : Words();
    expect_refusal(run(verb + Words{pipe} + rest), 1, "cannot read pipe.json: it is a FIFO, want a file");
    expect_refusal(run(verb + Words{socket} + rest), 1, "cannot open socket.json: it is a socket, want a file");
    expect_refusal(run(verb + Words{"mnist"} + rest), 1, "cannot read mnist: it is a directory, want a file");
    expect_refusal(run(verb + Words{"/dev/zero"} + rest), 1,
                   "cannot read /dev/zero: it is a character device, want a file");
  }
}

TEST_F(SpecialFiles, AreRefusedAsData) {
  for (const char* name : {"pipe.bin", "pipe.h5", "x-images-idx3-ubyte", "x-images-idx3-ubyte.gz"}) {
    expect_refusal(run({"data", "verify", fifo(name)}), 1,
                   fmt::format("cannot open {}: it is a FIFO, want a file", name));
  }
  for (const char* format : {"hdf5", "cifar10", "volume", "image-folder"}) {
    expect_refusal(run({"data", "info", "pipe.bin", "--format", format}), 1,
                   "cannot open pipe.bin: it is a FIFO, want a file");
  }
  expect_refusal(run({"data", "verify", "/dev/zero"}), 1,
                 "cannot open /dev/zero: it is a character device, want a file");
}

TEST_F(SpecialFiles, InADatasetAreRefused) {
  const std::string data = mnist();
  std::filesystem::remove(data + "/train-labels-idx1-ubyte");
  fifo("mnist/train-labels-idx1-ubyte");
  expect_refusal(run({"data", "verify", "mnist"}), 1,
                 "cannot read mnist/train-labels-idx1-ubyte: it is a FIFO, want a file");
  fifo("data_batch_1.bin");
  expect_refusal(run({"data", "verify", "."}), 1, "cannot read ./data_batch_1.bin: it is a FIFO, want a file");
}

TEST_F(SpecialFiles, AreRefusedAsOutput) {
  const std::string data = mnist();
  expect_refusal(run(short_run(data, fifo("pipe"))), 1, "cannot write pipe: it is a FIFO that nobody reads");
  expect_refusal(run(short_run(data, bound_socket("socket"))), 1, "cannot write socket: it is a socket, want a file");
  expect_refusal(run(short_run(data, "mnist")), 1, "cannot write mnist: it is a directory, want a file");
  EXPECT_TRUE(std::filesystem::is_fifo(home_ / "pipe"));
}

TEST_F(SpecialFiles, WithAReaderGetTheResult) {
  const std::string pipe = fifo("pipe");
  const int reader = ::open((home_ / pipe).c_str(), O_RDONLY | O_NONBLOCK);
  ::fcntl(reader, F_SETPIPE_SZ, 1 << 20);
  EXPECT_EQ(run(short_run(mnist(), pipe) + Words{"-q"}).exit_code, 0);
  std::string text(1 << 20, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(reader, text.data(), text.size()))));
  ::close(reader);
  EXPECT_FALSE(nlohmann::json::parse(text, nullptr, false).is_discarded());
}

TEST_F(SpecialFiles, OfTheSystemAreAcceptedWhereThatMakesSense) {
  const Outcome outcome = run(short_run(mnist(), "/dev/null"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, Not(HasSubstr("/dev/null"))) << "nothing can be read there";
  expect_refusal(run(short_run(mnist(), "/dev/zero")), 1,
                 "cannot write /dev/zero: it is a character device, want a file");
  const Outcome to_stdout = run(short_run(mnist(), "/dev/stdout"));
  EXPECT_EQ(to_stdout.exit_code, 0);
  EXPECT_FALSE(nlohmann::json::parse(to_stdout.out, nullptr, false).is_discarded());
}

class FileNames : public CommandLine {};

TEST_F(FileNames, WithLineEndsAndEscapeSequencesAreEscaped) {
  const std::string name = "new\nline\033[2J";
  const std::string shown = R"(new\nline\x1b[2J)";
  expect_refusal(run({"report", name, "--format", "text"}), 1, "cannot open " + shown + ": No such file or directory");
  expect_refusal(run({"data", "verify", name}), 1, "cannot open " + shown + ": no such file or directory");
  mnist(name);
  const Outcome info = run({"data", "info", name});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("path         " + shown + "\n"));
  const Outcome outcome = run(short_run((home_ / name).string(), name + ".json"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(shown + " (idx, 64 samples"));
  EXPECT_THAT(outcome.out, HasSubstr("\nresult: " + shown + ".json\n"));
  for (const std::string& text : {info.out, info.err, outcome.out, outcome.err}) {
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(text, Not(HasSubstr("new\nline")));
  }
  EXPECT_EQ(result(name + ".json")["datasets"][0]["path"], (home_ / name).string()) << "in the file it is the name";
}

TEST_F(FileNames, InReportsAreEscapedAndNeverFormulas) {
  const std::string data = mnist("mnist");
  ASSERT_EQ(run(short_run(data)).exit_code, 0);
  auto json = result();
  json["machine"]["hostname"] = "=HYPERLINK(\"x\")";
  json["datasets"][0]["path"] = "/a\nb\033[31mc";
  write(home_ / "hostile.json", json.dump());
  for (const char* format : {"text", "markdown", "csv"}) {
    SCOPED_TRACE(format);
    const Outcome outcome = run({"report", "hostile.json", "--format", format});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
    EXPECT_THAT(outcome.out, Not(HasSubstr("/a\nb")));
  }
  EXPECT_THAT(run({"report", "hostile.json", "--format", "csv"}).out, HasSubstr(",\"'=HYPERLINK(\"\"x\"\")\","));
}

}  // namespace
}  // namespace loadline::test
