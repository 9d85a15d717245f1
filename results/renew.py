#!/usr/bin/env python3
"""renew.py OUTLINE [--check]: writes schema.json, train_schema.json, the field tables of README.md and the example anew.

OUTLINE is the program tests/results/result_outline of a build: it prints the fields of a result and of a training run from
the functions that write and read them, with their order, their types, and the words that they may hold, and rewrites the
example. Options and the settings of cells come from their tables: an option's placeholder and help begin its row in
README.md. schema_notes.json has what the code does not know:

  about       the head of the schema
  values      definitions of plain values
  objects     definitions of objects, each with one place where it stands (`at`) and what holds of the object as a whole
  inline      the same for objects that have no definition, by their path
  fields      what may stand in a field, where its type alone does not say it, by object and field: all of it, or, without
              a type, in addition (`or_null`: older files have null there). Options and settings need it where words may
              grow, where numbers have other limits than 0 or 1, and where a cell has other values than its option
  warnings    sources that name the ids of warnings
  training    the same for training runs, which also use the definitions of results; `like` names the definition of a
              result whose fields an object shares

Units and meanings stand in the tables of README.md themselves, which keep them. A new field that is neither an option nor
set by one gets a row that says TODO there, and renew.py fails until somebody says what it means. --check writes nothing
and fails if the files are stale."""

import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCHEMA_FILE, README_FILE, NOTES_FILE = HERE / "schema.json", HERE / "README.md", HERE / "schema_notes.json"
TRAIN_SCHEMA_FILE, EXAMPLE_FILE = HERE / "train_schema.json", HERE / "example-fashion-mnist-cifar10.json"
WIDTH = 120
MARKS = ("null", "late", "above_zero", "words", "axis", "help", "unit", "setting")
SAYS_ALL = {"$ref", "anyOf", "const", "enum", "type"}
PLAIN = {  # by type, whether it is above 0, and whether it may be null
    ("boolean", False, False): {"type": "boolean"},
    ("boolean", False, True): {"$ref": "#/$defs/switch_or_null"},
    ("integer", False, False): {"$ref": "#/$defs/count"},
    ("integer", False, True): {"$ref": "#/$defs/count_or_null"},
    ("integer", True, False): {"$ref": "#/$defs/positive"},
    ("integer", True, True): {"$ref": "#/$defs/positive_or_null"},
    ("number", False, False): {"$ref": "#/$defs/amount"},
    ("number", False, True): {"$ref": "#/$defs/amount_or_null"},
    ("number", True, False): {"$ref": "#/$defs/above_zero"},
    ("string", False, False): {"$ref": "#/$defs/word"},
    ("string", False, True): {"$ref": "#/$defs/text_or_null"},
}


class Stale(Exception):
    """A sentence for the person who has to write something by hand."""


def bare(form):
    return {key: value for key, value in form.items() if key not in MARKS}


def form_at(outline, path):
    """The form at "cells[].trials[]", or all of it."""
    form = outline
    for step in path.split(".") if path else ():
        form = form["fields"][step.removesuffix("[]")]
        if step.endswith("[]"):
            form = form["items"]
    return form


def or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


class Schema:
    """`whole`: the name of the outline in the paths of its fields. `base`: the Schema whose definitions this one uses."""

    def __init__(self, outline, notes, whole, base=None):
        self.outline, self.notes, self.whole, self.base = outline, notes, whole, base
        self.forms = {name: bare(form_at(outline, note["at"])) for name, note in notes["objects"].items()}
        self.unused = set(notes["fields"])

    def definition_of(self, form):
        name = next((name for name, known in self.forms.items() if known == bare(form)), None)
        return self.base.definition_of(form) if name is None and self.base else name

    def may_be_null(self, definition):
        """Whether the definition allows null by itself."""
        objects = self.notes["objects"]
        return "null" in objects[definition].get("type", ()) if definition in objects else self.base.may_be_null(definition)

    def object(self, form, path, whole):
        """`whole`: what holds for the object as a whole."""
        fields = form["fields"]
        like = self.base.forms[whole["like"]]["fields"] if "like" in whole else {}
        required = [name for name, field in fields.items() if "late" not in field or "setting" in field]
        properties = {name: {"$ref": f"#/$defs/{whole['like']}/properties/{name}"} if name in like
                      else self.field(field, f"{path}.{name}") for name, field in fields.items()}
        return {"type": "object", "additionalProperties": False, **({"required": required} if required else {}),
                "properties": properties, **{key: value for key, value in whole.items() if key not in ("at", "like")}}

    def field(self, form, path):
        note = self.notes["fields"].get(path)
        if note is None:
            return self.value(form, path)
        self.unused.discard(path)
        if SAYS_ALL & set(note):
            return note
        said = {**self.value(form, path), **{key: value for key, value in note.items() if key != "or_null"}}
        return or_null(said) if "or_null" in note else said

    def value(self, form, path):
        """What the type alone says, and of an option its row."""
        if "axis" in form:
            one = {key: value for key, value in form.items() if key != "axis"}
            item = self.value({key: value for key, value in one.items() if key != "null"}, path)
            several = {"$ref": "#/$defs/off_and_on"} if form["type"] == "boolean" else \
                {"type": "array", "minItems": 2, "uniqueItems": True, "items": item}
            return {"anyOf": [self.value(one, path), several]}
        null = "null" in form
        if "type" not in form:
            raise Stale(f'results/schema_notes.json: say in "fields" what {path} may be')
        if "words" in form and form["type"] == "string":
            return {"enum": [*form["words"], *([None] if null else [])]}
        if form["type"] == "array":
            items = form["items"] if "words" not in form else {**form["items"], "words": form["words"]}
            return {"type": ["array", "null"] if null else "array", "items": self.value(items, path + "[]")}
        if form["type"] == "object":
            name = self.definition_of(form)
            if name is None:
                inner = self.object(form, path, self.notes["inline"].get(path, {}))
                return or_null(inner) if null else inner
            reference = {"$ref": f"#/$defs/{name}"}
            return or_null(reference) if null and not self.may_be_null(name) else reference
        plain = PLAIN.get((form["type"], "above_zero" in form, null))
        return plain or or_null(PLAIN[form["type"], "above_zero" in form, False])

    def all(self):
        whole = self.object(self.outline, self.whole, {})
        definitions = {name: self.object(self.forms[name], name, note) for name, note in self.notes["objects"].items()}
        if self.unused:
            raise Stale(f"results/schema_notes.json: no such fields: {', '.join(sorted(self.unused))}")
        return {**self.notes["about"], **whole, **self.notes["inline"].get(self.whole, {}),
                "$defs": {**self.notes["values"], **definitions}}


def outward(schema, base):
    """A schema whose references to definitions of `base` lead there."""

    def led(part):
        if isinstance(part, list):
            return [led(one) for one in part]
        if not isinstance(part, dict):
            return part
        place = part.get("$ref")
        if isinstance(place, str) and place.split("/")[2] not in schema["$defs"]:
            return {"$ref": base["$id"] + place}
        return {key: led(value) for key, value in part.items()}

    return led(schema)


# ---- as text

def line_of(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)}: {line_of(one)}" for key, one in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(line_of(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def text_of(value, indent=0):
    """JSON with a line for what fits in one."""
    line = line_of(value)
    if not isinstance(value, (dict, list)) or not value or (len(line) + indent <= WIDTH and indent > 0):
        return line
    inside = " " * (indent + 2)
    if isinstance(value, dict):
        members = [f"{inside}{json.dumps(key)}: {text_of(one, indent + 2)}" for key, one in value.items()]
        return "{\n" + ",\n".join(members) + "\n" + " " * indent + "}"
    if any(isinstance(one, (dict, list)) for one in value):
        return "[\n" + ",\n".join(inside + text_of(one, indent + 2) for one in value) + "\n" + " " * indent + "]"
    lines = [inside]
    for i, one in enumerate(value):
        word = line_of(one) + ("," if i + 1 < len(value) else "")
        if len(lines[-1]) + len(word) + 1 > WIDTH:
            lines.append(inside)
        lines[-1] += word if lines[-1] == inside else " " + word
    return "[\n" + "\n".join(lines) + "\n" + " " * indent + "]"


# ---- README.md

def alternatives(schema, root):
    while "$ref" in schema:
        place, schema = schema["$ref"].removeprefix("#/").split("/"), root
        for part in place:
            schema = schema[part]
    return [part for choice in schema["anyOf"] for part in alternatives(choice, root)] if "anyOf" in schema else [schema]


def type_of(value):
    return {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}[type(value)]


NAMES = {"boolean": "true or false", "string": "text"}
SEVERAL = {"integer": "integers", "number": "numbers", "object": "objects"}
UNSAID = "TODO"


def types_of(part):
    types = part.get("type", [])
    types = [types] if isinstance(types, str) else types
    return types or list(dict.fromkeys(type_of(one) for one in part.get("enum", [part.get("const")])))


def words_of_type(schema, root):
    """"text or null", "list of 2 numbers or null", "integer, or list of integers"."""
    said, null = [], False
    for part in alternatives(schema, root):
        for one in types_of(part):
            if one == "null":
                null = True
            elif one == "array":
                items = alternatives(part.get("items", {}), root)
                kinds = list(dict.fromkeys(SEVERAL.get(kind, NAMES.get(kind, kind))
                                           for item in items for kind in types_of(item) if kind != "null"))
                exact = part.get("minItems") if part.get("minItems") == part.get("maxItems") else None
                said.append(" ".join(["list of", *([str(exact)] if exact else []), " or ".join(kinds)]))
            else:
                said.append(NAMES.get(one, one))
    said = list(dict.fromkeys(said))
    if null:
        return ", ".join(said).replace("true or false", "true, false") + " or null"
    return ", or ".join(said)


def fields_at(path, root):
    """{field: its schema} of the object at a path such as "cells[].trials[]", or of all if that is empty."""
    schema = root
    for step in path.split(".") if path else ():
        name = step.removesuffix("[]")
        schema = next((part["properties"][name] for part in alternatives(schema, root)
                       if name in part.get("properties", ())), None)
        if schema is None:
            raise Stale(f"results/README.md: has a table of {path}, which does not exist")
        if step.endswith("[]"):
            schema = next(part["items"] for part in alternatives(schema, root) if "items" in part)
    return next(part["properties"] for part in alternatives(schema, root) if "properties" in part)


def tables_of(text):
    """[(paths of the objects, number of the first row, number of the line after the last)]"""
    lines, tables, objects = text.split("\n"), [], []
    for i, line in enumerate(lines):
        if line.startswith("#"):
            objects = re.findall(r"`([^`]+)`", line)
        if line.startswith("| field |") and objects:
            end = next(k for k in range(i, len(lines)) if not lines[k].startswith("|"))
            tables.append((objects, i + 2, end))
    return tables


UNITS = {"N": "", "MIB": "MiB", "DURATION": "seconds"}


def first_words(path, name, form, options):
    """(unit, meaning) of a new field."""
    if path == "config":
        unit = form.get("unit", "")
        words = ": " + ", ".join(f"`{word}`" for word in form["words"]) if "words" in form else ""
        return UNITS.get(unit, unit.lower()), form["help"] + words
    if "setting" not in form or name not in options:
        return "", UNSAID
    unit, _ = first_words("config", name, options[name], options)
    return unit, "; ".join(["as in `config`", *(["null where it does not apply"] if "null" in form else []),
                            *(["absent in older files"] if "late" in form else [])])


def renewed_readme(text, documents):
    """`documents`: (schema, outline) of "result" and "training", with which the paths of the latter begin."""
    lines = text.split("\n")
    name_of = lambda row: re.match(r"\| `([^`]+)` \|", row)[1]
    said = {}  # the fields of each object that some table has
    for objects, begin, end in tables_of(text):
        for path in objects:
            said.setdefault(path, set()).update(map(name_of, lines[begin:end]))
    options = form_at(documents["result"][1], "config")["fields"]
    for objects, begin, end in reversed(tables_of(text)):
        known = said[objects[0]]
        first, _, rest = objects[0].partition(".")
        schema, outline = documents.get(first, documents["result"])
        path = rest if first in documents else objects[0]
        cells = {name_of(row): [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[3:-1]] for row in lines[begin:end]}
        renewed = []
        for name, field in fields_at(path, schema).items():
            if name not in cells:
                if name in known:
                    continue  # another table has it
                known.add(name)
                cells[name] = first_words(path, name, form_at(outline, path)["fields"][name], options)
            unit, meaning = cells[name][0], " | ".join(cells[name][1:])
            renewed.append("|".join(["", f" `{name}` ", f" {words_of_type(field, schema)} ",
                                     *(f" {cell} " if cell else " " for cell in (unit, meaning)), ""]))
        lines[begin:end] = renewed
    return "\n".join(lines)


def completed(outline, notes):
    """The outline with the ids of warnings, from the sources that make them."""
    text = "".join((HERE.parent / source).read_text() for source in notes["warnings"])
    form_at(outline, "warnings[]")["fields"]["id"]["words"] = \
        list(dict.fromkeys(re.findall(r'push_back\(\s*\{"([a-z-]+)"', text)))
    return outline


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Stale(f"{' '.join(map(str, command))} failed")
    return done.stdout


def main(outline_program, check):
    notes = json.loads(NOTES_FILE.read_text())
    printed = json.loads(output_of(outline_program))
    outline = completed(printed["result"], notes)
    results = Schema(outline, notes, "result")
    schema = results.all()
    training = Schema(printed["training"], {"values": {}, "inline": {}, **notes["training"]}, "training", results).all()
    all_definitions = {**schema["$defs"], **training["$defs"]}
    new = {SCHEMA_FILE: text_of(schema) + "\n", TRAIN_SCHEMA_FILE: text_of(outward(training, schema)) + "\n",
           README_FILE: renewed_readme(README_FILE.read_text(), {
               "result": (schema, outline), "training": ({**training, "$defs": all_definitions}, printed["training"])}),
           EXAMPLE_FILE: output_of(outline_program, EXAMPLE_FILE)}
    unsaid = re.findall(rf"^\| `(\w+)` \|.*\| {UNSAID} \|$", new[README_FILE], re.MULTILINE)
    stale = [file for file, text in new.items() if file.read_text() != text]
    if check:
        if unsaid and not stale:
            raise Stale(f"results/README.md: say what is meant by {', '.join(unsaid)}")
        if stale:
            names = ", ".join(f"results/{file.name}" for file in stale)
            raise Stale(f"{names}: stale, renew by `results/renew.py {outline_program}`")
        return
    for file in stale:
        file.write_text(new[file])
    if unsaid:
        raise Stale(f"results/README.md: say what is meant by {', '.join(unsaid)}")


if __name__ == "__main__":
    try:
        main(sys.argv[1], "--check" in sys.argv[2:])
    except Stale as sentence:
        sys.exit(f"renew.py: {sentence}")
