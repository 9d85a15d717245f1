// Makes of the tables of a report its charts, and lets the reader filter and take away both. Colours are names of the
// style sheet, so that dark mode and print recolour what is drawn already.
"use strict";

const SERIES = ["var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)"];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right"];
const MODES = ["IO", "SYNTHETIC", "FULL"];
const MOST_BARS = 16;  // configurations in a chart; the tables have the best first
const MOST_LINES = SERIES.length;
const NARROW = 600;  // pixels; below it labels stand above their bars
const LONGEST_LABEL = 320;  // pixels, beside a bar

// ---- Tables ----

function valueOf(cell) {
  if (cell.className === "none") return null;
  const data = cell.firstElementChild;
  return data ? Number(data.value) : cell.textContent.trim();
}

// The rows that the filter leaves, as objects by the keys of the columns.
function rowsOf(table) {
  const keys = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.key);
  const visible = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  return visible.map((row) => Object.fromEntries(keys.map((key, i) => [key, valueOf(row.cells[i])])));
}

function csvOf(table) {
  // A spreadsheet would take text that begins with one of these for a formula.
  const guarded = (text) => (/^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [[...table.tHead.rows[0].cells].map((cell) => cell.textContent)];
  for (const row of table.tBodies[0].rows) {
    if (!row.hidden) lines.push([...row.cells].map((cell) => String(valueOf(cell) ?? "")));
  }
  return lines.map((line) => line.map((text) => quoted(guarded(text.trim()))).join(",") + "\n").join("");
}

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

// ---- Parts of specifications ----

const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];

function palette(domain) {
  return {domain, range: domain.map((_, i) => SERIES[i % SERIES.length])};
}

function shapes(domain) {
  return {domain, range: domain.map((_, i) => SHAPES[i % SHAPES.length])};
}

// As many columns as fit beside each other; of one name there is nothing to tell.
function legendOf(domain) {
  if (domain.length < 2) return null;
  const longest = Math.max(...domain.map((name) => String(name).length));
  return {title: null, columns: Math.max(1, Math.floor(document.body.clientWidth / (7 * longest + 60)))};
}

// Colour and shape say the same, for those who do not see the one or the other.
function told(field, domain) {
  const legend = legendOf(domain);
  return {
    color: {field, type: "nominal", scale: palette(domain), legend},
    shape: {field, type: "nominal", scale: shapes(domain), legend},
  };
}

const SECONDS =
  "datum.value >= 1 ? format(datum.value, '~g') + ' s' : datum.value >= 1e-3 ? format(datum.value * 1e3, '~g') + ' ms' : " +
  "datum.value >= 1e-6 ? format(datum.value * 1e6, '~g') + ' µs' : format(datum.value * 1e9, '~g') + ' ns'";

const PER_SECOND = "datum.value === 0 ? '0' : format(datum.value, '~s')";

// A logarithmic axis over these values, with ticks that suit its length.
function logarithmic(values) {
  const positive = values.filter((value) => value > 0);
  const low = Math.min(...positive) / 1.3;
  const high = Math.max(...positive) * 1.3;
  const decades = Math.log10(high / low);
  const steps = decades > 3 ? [1] : decades > 1.5 ? [1, 3] : [1, 2, 5];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
    for (const step of steps) ticks.push(step * 10 ** power);
  }
  const every = decades > 8 ? 2 : 1;
  return {
    scale: {type: "log", domain: [low, high]},
    values: ticks.filter((tick, i) => tick >= low && tick <= high && i % every === 0),
  };
}

// Labels of configurations: beside their bars, or above them where the page is narrow or one of them is long.
// `mark`: pixels that the marks of one need.
function named(names, width, mark) {
  const longest = 7 * Math.max(...names.map((name) => name.length));
  const above = width < NARROW || longest > LONGEST_LABEL ? 20 : 0;
  const step = mark + 8 + above;
  const axis = above > 0
    ? {labelAlign: "left", labelPadding: -4, labelBaseline: "bottom", labelOffset: -mark / 2 - 2, labelLimit: width - 30,
       ticks: false, domain: false}
    : {labelLimit: LONGEST_LABEL, labelPadding: 6, ticks: false};
  const scale = {type: "band", paddingInner: 1 - mark / step, paddingOuter: (above + 4) / step};
  return {
    height: names.length * step + above,
    y: {field: "name", type: "nominal", sort: names, title: null, axis, scale},
  };
}

function tooltip(...fields) {
  return fields.map(([field, title]) => ({field, title}));
}

const RATE_TOOLTIP = tooltip(["name", "configuration"], ["mean", "samples/s"], ["low", "95 % from"],
                             ["high", "95 % to"], ["ceiling", "ceiling"], ["bound", "of"]);

// ---- Charts: each a function of rows and width to a specification ----

// Bars from zero; points on a logarithmic axis where the bars of some would be too short to be read.
function rates(rows, width, by, order) {
  const names = distinct(rows, "name");
  const groups = order.filter((group) => rows.some((row) => row[by] === group));
  const means = rows.map((row) => row.mean);
  const ends = rows.flatMap((row) => [row.mean, row.low, row.high, row.ceiling]);
  const apart = Math.max(...means) > 30 * Math.min(...means);
  const log = logarithmic(ends);
  const axis = {labelExpr: PER_SECOND, ...(apart ? {values: log.values} : {tickCount: width < NARROW ? 4 : 8})};
  const x = {
    type: "quantitative", title: apart ? "samples per second (logarithmic)" : "samples per second",
    scale: apart ? log.scale : {zero: true}, axis,
  };
  const {height, y} = named(names, width, 14 * groups.length);
  const low = apart ? log.scale.domain[0] : -Infinity;
  const values = rows.map((row) => ({...row, low: row.low === null ? null : Math.max(row.low, low)}));
  const bars = {
    mark: {type: "bar", opacity: 0.55},
    encoding: {x: {...x, field: "mean"}, color: told(by, groups).color, tooltip: RATE_TOOLTIP},
  };
  const ceilings = {
    transform: [{filter: "isValid(datum.ceiling)"}],
    mark: {type: "tick", color: "var(--ink)", thickness: 2, size: 15},
    encoding: {x: {...x, field: "ceiling"}, tooltip: RATE_TOOLTIP},
  };
  return {
    data: {values},
    height,
    encoding: {y, yOffset: {field: by, sort: groups}},
    layer: [
      ...(apart ? [] : [bars]),
      ...(rows.some((row) => row.ceiling > 0) ? [ceilings] : []),
      {
        transform: [{filter: "isValid(datum.low)"}],
        mark: {type: "rule", color: "var(--ink)", strokeWidth: 1.5},
        encoding: {x: {...x, field: "low"}, x2: {field: "high"}},
      },
      {
        mark: {type: "point", filled: true, size: 45, opacity: 1, stroke: "var(--paper)", strokeWidth: 0.5},
        encoding: {x: {...x, field: "mean"}, ...told(by, groups), tooltip: RATE_TOOLTIP},
      },
    ],
  };
}

function scaling(rows, width) {
  const several = rows[0].run !== undefined;
  const by = several && distinct(rows, "name").length === 1 ? "run" : "name";
  const values = rows.map((row) => ({...row, line: several ? `${row.name} · ${row.run}` : row.name}));
  const field = by === "run" ? "run" : "line";
  const series = distinct(values, field).sort();
  const workers = distinct(rows, "workers").sort((a, b) => a - b);
  const wide = workers.at(-1) > 12;
  const x = {
    field: "workers", type: "quantitative", title: wide ? "workers (logarithmic)" : "workers",
    scale: wide ? {type: "log", base: 2, nice: false} : {domain: [workers[0] - 0.3, workers.at(-1) + 0.3], nice: false},
    axis: {values: workers, format: "d", labelOverlap: "greedy", grid: false},
  };
  const y = {type: "quantitative", title: "samples per second", axis: {labelExpr: PER_SECOND}, scale: {zero: true}};
  const ceilings = {
    transform: [
      {filter: "isValid(datum.ceiling)"},
      {aggregate: [{op: "max", field: "ceiling", as: "ceiling"}], groupby: ["workers"]},
    ],
    mark: {type: "line", color: "var(--ink)", strokeDash: [1, 4], strokeWidth: 2, strokeCap: "round"},
    encoding: {y: {...y, field: "ceiling"}},
  };
  // Of many curves the laws would hide the points.
  const fits = series.length > 4 ? [] : Object.keys(rows[0]).filter((key) => key.startsWith("fit-"));
  return {
    data: {values},
    height: 280,
    encoding: {x},
    layer: [
      ...(rows.some((row) => row.ceiling > 0) ? [ceilings] : []),
      ...fits.map((fit, i) => ({
        transform: [{filter: `isValid(datum['${fit}'])`}],
        mark: {type: "line", interpolate: "monotone", strokeDash: i === 0 ? [8, 3] : [3, 3], opacity: 0.8},
        encoding: {y: {...y, field: fit}, color: told(field, series).color, detail: {field}},
      })),
      {
        mark: {type: "line", opacity: fits.length ? 0.25 : 0.9},
        encoding: {y: {...y, field: "mean"}, color: told(field, series).color},
      },
      {
        transform: [{filter: "isValid(datum.low)"}],
        mark: {type: "rule", strokeWidth: 1.5},
        encoding: {y: {...y, field: "low"}, y2: {field: "high"}, color: told(field, series).color},
      },
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1},
        encoding: {
          y: {...y, field: "mean"}, ...told(field, series),
          tooltip: tooltip(["name", "configuration"], ["workers", "workers"], ["mean", "samples/s"],
                           ["low", "95 % from"], ["high", "95 % to"], ["efficiency", "efficiency"]),
        },
      },
    ],
  };
}

// One point for each of these columns, in a row of its configuration; and a line between the outermost.
function moments(rows, width, columns, title, joined) {
  const values = rows.map(withRun).flatMap((row) => columns
    .filter(([key]) => row[key] > 0)
    .map(([key, what]) => ({name: row.name, what, seconds: row[key]})));
  const log = logarithmic(values.map((value) => value.seconds));
  const x = {
    field: "seconds", type: "quantitative", title, scale: log.scale,
    axis: {values: log.values, labelExpr: SECONDS, labelOverlap: "greedy"},
  };
  const what = columns.map(([, words]) => words);
  const {height, y} = named(distinct(values, "name"), width, 14);
  const line = {
    mark: {type: "rule", color: "var(--soft)"},
    encoding: {
      x: {...x, field: "seconds", aggregate: "min"}, x2: {field: "seconds", aggregate: "max"},
    },
  };
  return {
    data: {values},
    height,
    encoding: {y},
    layer: [
      ...(joined ? [line] : []),
      {
        mark: {type: "point", filled: true, size: 70, opacity: 1},
        encoding: {x, ...told("what", what), tooltip: tooltip(["name", "configuration"], ["what", "what"],
                                                              ["seconds", "seconds"])},
      },
    ],
  };
}

function timeline(rows, width) {
  const values = rows.map(withRun).filter((row) => row.p99 > 0)
    .map((row) => ({...row, p50: Math.max(row.p50, 1e-9)}));
  const names = distinct(values, "name");
  const log = logarithmic(values.flatMap((row) => [row.p50, row.max]));
  const y = {
    type: "quantitative", title: "wait for a batch (logarithmic)", scale: log.scale,
    axis: {values: log.values, labelExpr: SECONDS},
  };
  return {
    data: {values},
    height: 260,
    encoding: {
      x: {field: "started", type: "quantitative", title: "seconds after the start of the run",
          axis: {tickCount: width < NARROW ? 4 : 8, grid: false}},
    },
    layer: [
      {
        mark: {type: "rule", opacity: 0.6},
        encoding: {y: {...y, field: "p50"}, y2: {field: "max"}, color: told("name", names).color},
      },
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1},
        encoding: {
          y: {...y, field: "p99"}, ...told("name", names),
          tooltip: tooltip(["name", "configuration"], ["round", "round"], ["p50", "p50, s"], ["p95", "p95, s"],
                           ["p99", "p99, s"], ["max", "longest, s"], ["rate", "samples/s"]),
        },
      },
    ],
  };
}

// Stacked bars of amounts, or of shares of one whole.
function stacked(rows, width, title, labelExpr, order, scale = {}) {
  const names = distinct(rows, "name");
  const parts = order.filter((part) => rows.some((row) => row.part === part));
  const x = {field: "amount", type: "quantitative", stack: "zero", title, scale, axis: {labelExpr, tickCount: width < NARROW ? 4 : 8}};
  const place = {field: "place", type: "quantitative"};
  const values = rows.map((row) => ({...row, place: parts.indexOf(row.part)}));
  const total = Math.max(...names.map((name) => rows.filter((row) => row.name === name)
    .reduce((sum, row) => sum + row.amount, 0)));
  const readable = total * 8 / width;  // 8 pixels a character, about
  const {height, y} = named(names, width, 20);
  return {
    data: {values},
    height,
    encoding: {y, order: place},
    layer: [
      {
        mark: {type: "bar", stroke: "var(--paper)", strokeWidth: 1.5},
        encoding: {
          x, color: {field: "part", type: "nominal", scale: palette(parts), legend: legendOf(parts)},
          tooltip: tooltip(["name", "configuration"], ["part", "part"], ["amount", title]),
        },
      },
      {
        mark: {type: "text", color: "#000", fontSize: 10, baseline: "middle"},
        encoding: {
          x: {...x, bandPosition: 0.5}, detail: {field: "part"},
          text: {condition: {test: `datum.amount > length(datum.part) * ${readable}`, field: "part"}, value: ""},
        },
      },
    ],
  };
}

function stages(rows, width) {
  const values = rows.map(withRun).map((row) => ({name: row.name, part: row.stage, amount: row.share}));
  return stacked(values, width, "share of the time", "format(datum.value, '.0%')", distinct(values, "part"),
                 {domain: [0, 1]});
}

function cpu(rows, width) {
  const parts = [["user", "user"], ["system", "system"]];
  const values = rows.map(withRun).flatMap((row) =>
    parts.map(([key, part]) => ({name: row.name, part, amount: row[key]})));
  return stacked(values, width, "CPU seconds per 1,000 samples", "format(datum.value, '~g')", parts.map(([, part]) => part));
}

function history(rows, width) {
  const values = rows.map((row) => ({...row, started: Date.parse(row.started)}));
  const names = distinct(values, "name");
  const y = {type: "quantitative", title: "samples per second", axis: {labelExpr: PER_SECOND}, scale: {zero: false}};
  return {
    data: {values},
    height: 260,
    encoding: {
      x: {field: "started", type: "temporal", scale: {type: "utc"}, title: "start of the run, UTC",
          axis: {tickCount: width < NARROW ? 3 : 6, labelOverlap: "greedy", grid: false}},
    },
    layer: [
      {mark: {type: "line", opacity: 0.5}, encoding: {y: {...y, field: "mean"}, color: told("name", names).color}},
      {
        transform: [{filter: "isValid(datum.low)"}],
        mark: {type: "rule", strokeWidth: 1.5},
        encoding: {y: {...y, field: "low"}, y2: {field: "high"}, color: told("name", names).color},
      },
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1},
        encoding: {y: {...y, field: "mean"}, ...told("name", names), tooltip: RATE_TOOLTIP},
      },
      {mark: {type: "text", dx: 9, dy: -9, color: "var(--soft)"}, encoding: {y: {...y, field: "mean"}, text: {field: "run"}}},
    ],
  };
}

// Steps from run to run: each what changed, with its three modes.
function walk(rows, width) {
  const values = rows.flatMap((row) => MODES
    .map((mode) => ({mode, key: mode.toLowerCase()}))
    .filter(({key}) => row[key] > 0)
    .map(({mode, key}) => ({
      name: `${row.run}: ${row.name}`, mode, mean: row[key], low: row[`${key}-low`] ?? null, high: row[`${key}-high`] ?? null,
    })));
  return rates(values, width, "mode", MODES);
}

// Of several runs, which one it is belongs to the name.
function withRun(row) {
  return row.run === undefined ? row : {...row, name: `${row.name} · ${row.run}`};
}

// By the identifiers of the sections: what is told apart by charts of their own, how many names a chart has at most,
// and the specification. Overlaid runs are told apart by colour and shape, and then modes by charts.
const CHARTS = {
  walk: {split: () => ["workload"], most: MOST_BARS, spec: walk},
  throughput: {
    split: (several) => (several ? ["workload", "mode"] : ["workload"]), most: MOST_BARS,
    // SYNTHETIC is the same of many configurations, which is worth no chart of its own.
    drawn: (row) => row.run === undefined || row.mode !== "SYNTHETIC",
    spec: (rows, width) => (rows[0].run === undefined
      ? rates(rows, width, "mode", MODES) : rates(rows, width, "run", distinct(rows, "run").sort())),
  },
  scaling: {split: () => ["workload", "mode"], most: MOST_LINES, spec: scaling},
  waits: {
    split: () => ["workload", "mode"], most: MOST_BARS,
    spec: (rows, width) => moments(rows, width, [["p50", "p50"], ["p95", "p95"], ["p99", "p99"], ["max", "longest"]],
                                   "wait for a batch (logarithmic)", true),
  },
  timeline: {split: () => ["workload", "mode"], most: MOST_LINES, spec: timeline},
  start: {
    split: () => ["workload", "mode"], most: MOST_BARS,
    spec: (rows, width) => moments(rows, width, [["first", "to the first batch"], ["epoch", "first epoch"],
                                                 ["warm", "as many samples warm"]], "time (logarithmic)", false),
  },
  cache: {
    split: (several) => (several ? ["run", "workload", "mode"] : ["workload", "mode"]), most: MOST_BARS,
    spec: (rows, width) => rates(rows, width, "cache", distinct(rows, "cache")),
  },
  stages: {split: () => ["workload", "mode"], most: MOST_BARS, spec: stages},
  cpu: {split: () => ["workload", "mode"], most: MOST_BARS, spec: cpu},
  history: {split: () => ["workload", "mode"], most: MOST_LINES, spec: history},
  // Of trainings: training.js.
  "epoch-loss": {split: () => ["workload"], most: MOST_LINES, spec: epochLoss},
  "epoch-accuracy": {split: () => ["workload"], most: MOST_LINES, spec: epochAccuracy},
  "epoch-time": {split: () => ["workload"], most: MOST_LINES, spec: epochTime},
  "epoch-waiting": {split: () => ["workload"], most: MOST_LINES, spec: epochWaiting},
  "epoch-stages": {split: () => ["workload"], most: MOST_BARS, spec: epochStages},
};

// ---- Drawing ----

function config(width) {
  const font = "system-ui, sans-serif";
  const text = {labelColor: "var(--ink)", titleColor: "var(--ink)", labelFont: font, titleFont: font};
  return {
    background: null, font, view: {stroke: null},
    axis: {...text, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", gridColor: "var(--grid)",
           domainColor: "var(--soft)", tickColor: "var(--soft)"},
    legend: {...text, labelFontSize: 12, orient: "top", labelLimit: width - 40, symbolSize: 80, symbolOpacity: 1},
    text: {font},
  };
}

// Of dark mode the drawing has only names: written out in the colours of light.
function standalone(svg) {
  const light = document.createElement("div");
  light.className = "light";
  document.body.append(light);
  const colours = getComputedStyle(light);
  const text = svg.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
  light.remove();
  return text;
}

function draw(holder, name, title, rows, spec) {
  const figure = document.createElement("figure");
  figure.className = "chart";
  const header = document.createElement("header");
  const heading = document.createElement("span");
  heading.textContent = title;
  const drawing = document.createElement("div");
  header.append(heading);
  figure.append(header, drawing);
  holder.append(figure);
  const width = holder.clientWidth;
  const full = {
    width, autosize: {type: "fit-x", contains: "padding"}, config: config(width), description: `${name}: ${title}`,
    ...spec(rows, width),
  };
  const view = new vega.View(vega.parse(vegaLite.compile(full).spec), {renderer: "svg", logLevel: vega.Warn});
  view.initialize(drawing).run();
  header.append(button("SVG", async () => {
    download(`${name} ${title}.svg`.replace(/[^\w.-]+/g, "-"), "image/svg+xml", standalone(await view.toSVG()));
  }));
}

// What is left to draw: a chart at a time, so that the page can be read and scrolled meanwhile.
let queue = [];

function drawSection(section) {
  const holder = section.querySelector(".charts");
  const chart = CHARTS[section.id];
  if (!holder || !chart) return;
  holder.replaceChildren();
  const rows = rowsOf(section.querySelector("table")).filter(chart.drawn ?? (() => true));
  if (rows.length === 0) return;
  const split = chart.split(rows[0].run !== undefined);
  const titleOf = (row) => split.map((key) => row[key]).join(", ");
  for (const title of new Set(rows.map(titleOf))) {
    const all = rows.filter((row) => titleOf(row) === title);
    const names = distinct(all, "name");
    const shown = new Set(names.slice(0, chart.most));
    const note = names.length > shown.size ? ` (the ${shown.size} fastest of ${names.length})` : "";
    queue.push(() => draw(holder, section.id, title + note, all.filter((row) => shown.has(row.name)), chart.spec));
  }
}

let drawing = 0;

function drawNext() {
  const next = queue.shift();
  if (!next) {
    document.documentElement.dataset.charts = document.querySelectorAll(".chart svg").length;
    return;
  }
  drawing = setTimeout(drawNext);
  next();
}

function drawAll() {
  clearTimeout(drawing);
  queue = [];
  document.querySelectorAll("section.figures").forEach(drawSection);
  drawNext();
}

// ---- The page ----

const charts = typeof vega !== "undefined";
const tables = [...document.querySelectorAll("section.figures table")];

for (const table of tables) {
  const details = table.closest("details");
  const name = `${details.closest("section").id}.csv`;
  details.querySelector("summary").after(button("CSV", () => download(name, "text/csv", csvOf(table))));
}

for (const command of document.querySelectorAll(".command")) {
  command.before(button("Copy", () => navigator.clipboard.writeText(command.textContent)));
}

function filter(words) {
  for (const table of tables.filter((each) => each.querySelector("th[data-key=name]"))) {
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }
}

if (tables.some((table) => table.tBodies[0].rows.length > 24)) {
  const label = document.createElement("label");
  label.id = "filter";
  label.append("Show only rows with ");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "words, such as: thread-pool full";
  label.append(input);
  document.getElementById("verdict").after(label);
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      filter(input.value.toLowerCase().split(/\s+/).filter(Boolean));
      if (charts) drawAll();
    }, 250);
  });
}

if (charts) {
  drawAll();
  let width = document.body.clientWidth;
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (document.body.clientWidth === width) return;
      width = document.body.clientWidth;
      drawAll();
    }, 250);
  });
  window.addEventListener("beforeprint", () => {
    while (queue.length > 0) queue.shift()();
  });
}
