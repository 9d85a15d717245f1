"""unnamed.py [ROOT]: no two sources of a folder give one name in their unnamed namespaces, and none takes a name out of a
library's namespace for all of the source. Most presets compile up to 24 sources as one, in the order of CMakeLists.txt
(cmake/options.cmake): two that share a name, or a std::chrono::seconds and the seconds() of a header of ours, compile
until a new file brings them together."""

import collections
import pathlib
import re
import sys
import tempfile

# Each is one target, but for the modules, which are compiled on their own.
FOLDERS = ("loaders", "synthetic", "harness", "tests/loaders", "tests/synthetic", "tests/harness", "tests/cli")
# At the beginning of a line, where the namespaces have their members.
CONSTANT = re.compile(r"(?:static |inline )*(?:constexpr|const) [^=;{]*?\b(k[A-Z]\w*)(?:\[\w*\])*(?: = |\{|;)")
TYPE = re.compile(r"(?:class|struct|union|enum(?: class)?) (\w+)(?: final)?(?: :[^:;]*)? \{")
ALIAS = re.compile(r"using (\w+) = ")
# Of our own namespaces, such as test, a name is declared once; gtest's matchers have names that nothing else has.
USING = re.compile(r"^using ((?:std|nlohmann|dnnl|fmt|CLI)(?:::\w+)+);", re.MULTILINE)
FUNCTION = re.compile(r"(?!template|return|using|class|struct|enum|namespace|constexpr (?:auto )?k[A-Z])"
                      r"[A-Za-z][\w:<>,&* ]*?[ &*](\w+)\(([^;]*?)\)(?: const| noexcept)* \{", re.DOTALL)


def names_in(text):
    """The names of a source's unnamed namespaces, each with what it may stand for in other sources too: aliases may be
    repeated. Functions have the types of their parameters, because they may be overloaded."""
    inside = False
    block = []
    for line in text.split("\n"):
        if line.startswith("namespace {"):
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside:
            block.append(line)
    for at, line in enumerate(block):
        if not line or not line[0].isalpha():
            continue
        found = CONSTANT.match(line) or TYPE.match(line)
        alias = ALIAS.match(line)
        if found:
            yield found[1], None
        elif alias:
            yield alias[1], line.partition("//")[0].strip()
        else:
            found = FUNCTION.match("\n".join(block[at:at + 4]))
            if found and found.end() and "\n}" not in found[0]:
                types = re.sub(r" = [^,]*", "", re.sub(r"\s+", " ", found[2]))
                types = re.sub(r"(?<=[ &*])[a-z]\w*(?=,|$)", "", types)
                yield f"{found[1]}({types})", None


def faults(root):
    for folder in FOLDERS:
        givers = collections.defaultdict(dict)
        for file in sorted((root / folder).rglob("*.cpp")):
            if not file.stem.endswith("_module"):
                text = file.read_text()
                for name, meaning in names_in(text):
                    givers[name][str(file.relative_to(root))] = meaning
                for name in USING.findall(text):
                    yield f"{file.relative_to(root)}: using {name}: write the qualified name, or move it into the function"
        for name, files in sorted(givers.items()):
            meanings = set(files.values())
            if len(files) > 1 and (len(meanings) > 1 or None in meanings):
                yield f"{name} is in the unnamed namespaces of {' and '.join(files)}"


def self_test():
    """Checks that names of every kind are noticed."""
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        (root / "loaders").mkdir()
        members = ("constexpr int kMost = 1;\n\nstruct Row {\n  int kInner = 2;\n};\n\nusing Rows = std::vector<Row>;\nusing Same = int;\n"
                   "const Row& row_of(const Rows& rows,\n                  std::size_t i) {\n  return rows[i];\n}\n")
        (root / "loaders/a.cpp").write_text(f"namespace {{\n\n{members}\n}}  // namespace\n")
        (root / "loaders/b.cpp").write_text(
            "constexpr int kMost = 2;\nnamespace {\nusing Rows = int;\nusing Same = int;\nint row_of(int i) {\n  return i;\n}\n"
            "}  // namespace\nstruct Row {\n};\n")
        assert list(faults(root)) == ["Rows is in the unnamed namespaces of loaders/a.cpp and loaders/b.cpp"], list(faults(root))
        (root / "loaders/c.cpp").write_text(f"namespace {{\n{members}}}  // namespace\n")
        found = [fault.split(" is in ")[0] for fault in faults(root)]
        assert found == ["Row", "Rows", "kMost", "row_of(const Rows& , std::size_t )"], found

    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        (root / "loaders").mkdir()
        (root / "loaders/a.cpp").write_text(
            "using namespace std::chrono_literals;\nusing testing::Each;\nusing Seconds = std::chrono::seconds;\n"
            "void wait() {\n  using std::chrono::seconds;\n}\nusing std::chrono::hours;  // a day\n")
        assert list(faults(root)) == ["loaders/a.cpp: using std::chrono::hours: write the qualified name, or move it into "
                                      "the function"], list(faults(root))


def main():
    self_test()
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print(*found, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
