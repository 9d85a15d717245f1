"""includes.py [ROOT]: a file includes every precompiled header and every header of ours that it uses, itself or through our
headers. The compiler does not notice a missing one where headers are precompiled, or where several files are compiled as
one (cmake/options.cmake)."""

import pathlib
import re
import sys
import tempfile

LAYERS = ("loaders", "synthetic", "harness")
# These are compiled several at a time too. Their precompiled headers are others.
FOLDERS = (*LAYERS, "tests", "bench")
# For each header, the names that need it.
USES = {
    "fmt/core.h": r"fmt::(?:format|format_to|format_to_n|formatted_size|format_string|runtime|print)\b",
    "fmt/format.h": r"fmt::(?:to_string|memory_buffer|group_digits)\b",
    "fmt/ranges.h": r"fmt::join\b",
    "algorithm": r"std::(?:(?:ranges::)?(?:sort|stable_sort|find|find_if|find_if_not|any_of|all_of|none_of|count|count_if|"
                 r"lower_bound|upper_bound|equal_range|copy_n|copy_if|fill|fill_n|generate|transform|replace|reverse|rotate|"
                 r"unique|nth_element|partial_sort|min_element|max_element|minmax_element|binary_search|is_sorted|clamp|"
                 r"remove_if|set_difference|includes|adjacent_find|mismatch|partition|stable_partition)|(?:ranges::)?(?:min|max|minmax))"
                 r"\s*[(<{]",
    "array": r"std::(?:array\s*<|to_array\b)",
    "chrono": r"std::(?:chrono::|literals::chrono_literals|chrono_literals)",
    "cmath": r"std::(?:sqrt|pow|exp|exp2|expm1|log|log2|log10|log1p|floor|ceil|round|lround|llround|trunc|fmod|hypot|isnan|"
             r"isfinite|isinf|nextafter|ldexp|frexp|cbrt|erf|erfc|lgamma|tgamma|sin|cos|tan|atan|atan2|copysign|rint|lrint)\s*\(",
    "filesystem": r"std::filesystem::",
    "functional": r"std::(?:function|reference_wrapper|ref|cref|greater|less|plus|multiplies|hash|invoke|bind|bind_front|not_fn|"
                  r"identity|mem_fn)\s*[<({]",
    "map": r"std::(?:map|multimap)\s*<",
    "optional": r"std::(?:optional\s*<|nullopt\b|make_optional\b)",
    "ranges": r"std::(?:ranges::views|views)::|std::ranges::(?:subrange|iota_view)\b",
    "span": r"std::(?:span\s*[<(]|as_bytes\b|as_writable_bytes\b)",
    "string": r"std::(?:string\b(?!_)|to_string\b|stoi\b|stod\b|getline\b)",
    "utility": r"std::(?:move|swap|pair|make_pair|exchange|forward|index_sequence|make_index_sequence|as_const|in_range|"
               r"cmp_less|cmp_equal|unreachable)\s*[<({]",
    "variant": r"std::(?:variant\s*<|visit\s*\(|get_if\s*<|holds_alternative\s*<|monostate\b)",
    "vector": r"std::vector\s*<",
}
# For each header, others that it is known to include.
BRINGS = {
    "fmt/format.h": {"fmt/core.h"},
    "fmt/ranges.h": {"fmt/format.h", "fmt/core.h"},
    "filesystem": {"string", "chrono"},
    "map": {"utility"},
    "unordered_map": {"utility"},
    "iostream": {"string"},
    "sstream": {"string"},
    "stdexcept": {"string"},
    "system_error": {"string"},
    "CLI/CLI.hpp": {"string", "vector", "functional", "utility"},
    "nlohmann/json.hpp": {"string", "vector", "map", "utility"},
}
# What a header of ours declares at the left margin: types, constants, and functions.
TYPE = re.compile(r"^(?:template <[^\n]*>\n)?(?:(?:class|struct|enum class)\s+(?:alignas\(\d+\)\s+)?([A-Z]\w*)(?=[^;\n]*[{:]|\s*$)"
                  r"|using ([A-Z]\w*) =|inline constexpr [^()\n]*?\b(k[A-Z]\w*)\s*[\[{=])", re.MULTILINE)
FUNCTION = re.compile(r"^(?!\s|using|return|class|struct|enum|namespace|#|\}|template)[\w:<>,&* ]*[\w>&*] [&*]?([a-z]\w+)\(",
                      re.MULTILINE)
# Names of other libraries that a header of ours declares too.
FOREIGN = {"inflate"}


def bare(text):
    """The text without comments, literals and names of tests, in as many lines."""
    literals = r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\b(?:INSTANTIATE_)?TEST\w*\(\w+, \w+'
    return re.sub(literals, lambda found: '""' + "\n" * found[0].count("\n"), text, flags=re.DOTALL)


def declares(text, name):
    """Whether the text declares the name for itself: as a type, an enumerator, a variable, a parameter or a function."""
    return re.search(rf"\b(?:class|struct|enum|typename|using|auto)(?:\.\.\.)?\s+(?:class\s+)?(?:alignas\(\d+\)\s+)?{name}\b"
                     rf"|[{{,]\s*{name}\s*(?:[,}}=]|$)|\(\*(?:const )?{name}\)"
                     rf"|(?:(?!\b(?:return|throw|else|case|co_return|const)\b)\b\w+|[>&*\]])\s+[&*]?{name}\b(?=\s*[(\[={{;,)])",
                     text, re.MULTILINE)


class Tree:
    def __init__(self, root):
        self.root = root
        self.known = {}
        everything = [file for folder in FOLDERS for file in sorted((root / folder).rglob("*")) if file.suffix in (".h", ".cpp")]
        self.ours = [path for path in (str(file.relative_to(root)) for file in everything) if not path.startswith("tests/house/")]
        whole = {path: (root / path).read_text() for path in self.ours}
        self.includes = {path: set(re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)', text, re.MULTILINE)) & whole.keys()
                         for path, text in whole.items()}
        self.text = {path: bare(text) for path, text in whole.items()}
        self.words = {path: set(re.findall(r"[A-Za-z]\w*", text)) for path, text in self.text.items()}

    def reached(self, path, on_the_way=()):
        """The angle-bracket headers that the file includes, itself or through ours."""
        if path not in self.known:
            if path in on_the_way or not (self.root / path).is_file():
                return frozenset()
            found = set()
            for kind, name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)', (self.root / path).read_text(), re.MULTILINE):
                if kind == '"':
                    found |= self.reached(name, (*on_the_way, path))
                else:
                    found |= {name} | BRINGS.get(name, set())
            self.known[path] = frozenset(found)
        return self.known[path]

    def ours_reached(self, path):
        """The headers of ours that the file includes, itself or through others."""
        reached, left = set(), [path]
        while left:
            found = self.includes[left.pop()] - reached
            reached |= found
            left += found
        return reached - {path}

    def declared(self):
        """{name: the headers that declare it}, without overloads in many headers."""
        found = {}
        for path in self.ours:
            if path.endswith(".h"):
                for one in (*TYPE.finditer(self.text[path]), *FUNCTION.finditer(self.text[path])):
                    found.setdefault(next(filter(None, one.groups())), set()).add(path)
        return {name: sorted(headers) for name, headers in found.items() if len(headers) <= 3 and name not in FOREIGN}

    def faults_of_ours(self):
        """A name counts as known if any header on the way has the word."""
        declared = self.declared()
        for path in self.ours:
            text = self.text[path]
            known = set().union(*(self.words[header] for header in self.ours_reached(path)))
            for name in sorted((self.words[path] & declared.keys()) - known):
                folder = path.split("/")[0]
                below = LAYERS[:LAYERS.index(folder) + 1] if folder in LAYERS else (*LAYERS, folder)
                may_be_meant = [header for header in declared[name] if header.split("/")[0] in below]
                call = "" if re.match("k?[A-Z]", name) else r"\("
                used = re.search(rf"(?<![\w.:])(?<!->){name}\b{call}", text)
                if may_be_meant and path not in may_be_meant and used and not declares(text, name):
                    line = text[:used.start()].count("\n") + 1
                    yield f"{path}:{line}: {name} needs #include " + " or ".join(f'"{header}"' for header in may_be_meant)

    def faults(self):
        yield from self.faults_of_ours()
        for layer in LAYERS:
            for file in sorted((self.root / layer).rglob("*")):
                if file.suffix not in (".h", ".cpp"):
                    continue
                path = str(file.relative_to(self.root))
                text = bare(file.read_text())
                reached = self.reached(path)
                for header, uses in USES.items():
                    used = re.search(uses, text)
                    if used and header not in reached:
                        line = text[:used.start()].count("\n") + 1
                        yield f"{path}:{line}: {used[0].rstrip('(<{ ')} needs #include <{header}>"


def self_test():
    """Checks that a missing include is noticed."""
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        for folder in FOLDERS:
            (root / folder).mkdir()
        (root / "loaders/one.h").write_text("#include <vector>\nstd::vector<int> one();\n")
        (root / "loaders/one.cpp").write_text('#include "loaders/one.h"\n// std::map<int> is not used\nstd::vector<int> one() { return {}; }\n')
        assert list(Tree(root).faults()) == []
        (root / "harness/three.cpp").write_text("int three() { return static_cast<int>(one().size()); }\n")
        (root / "tests/three_test.cpp").write_text('#include "loaders/one.h"\n#include <vector>\nTEST(one, two) { one(); }\n')
        (root / "bench/one.cpp").write_text("int one() { return 1; }\nint two() { return one(); }\n")
        faults = list(Tree(root).faults())
        assert faults == ['harness/three.cpp:1: one needs #include "loaders/one.h"'], faults
        (root / "harness/three.cpp").unlink()
        (root / "loaders/two.cpp").write_text('#include "loaders/one.h"\n\nstd::optional<int> two() { return std::nullopt; }\n')
        assert list(Tree(root).faults()) == ["loaders/two.cpp:3: std::optional needs #include <optional>"], list(Tree(root).faults())


def main():
    self_test()
    faults = list(Tree(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")).faults())
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
