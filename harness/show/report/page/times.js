// Charts of where time goes.

// One point for each of these columns, in the row of its configuration, and a line between the outermost.
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
  const {color, shape} = toldByRun(values, "name");
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
        encoding: {y: {...y, field: "p50"}, y2: {field: "max"}, color},
      },
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1},
        encoding: {
          y: {...y, field: "p99"}, color, shape,
          tooltip: tooltip(["name", "configuration"], ["round", "round"], ["p50", "p50, s"], ["p95", "p95, s"],
                           ["p99", "p99, s"], ["max", "longest, s"], ["rate", "samples/s"]),
        },
      },
    ],
  };
}

CHARTS.waits = {
  split: () => ["workload", "mode"], most: MOST_BARS,
  spec: (rows, width) => moments(rows, width, [["p50", "p50"], ["p95", "p95"], ["p99", "p99"], ["max", "longest"]],
                                 "wait for a batch (logarithmic)", true),
};
CHARTS.timeline = {
  split: () => ["workload", "mode"], most: MOST_LINES, line: (row) => withRun(row).name, spec: timeline,
};
CHARTS.start = {
  split: () => ["workload", "mode"], most: MOST_BARS,
  spec: (rows, width) => moments(rows, width, [["first", "to the first batch"], ["epoch", "first epoch"],
                                               ["start", "opening and first epoch"],
                                               ["warm", "the same samples, warm"]], "time (logarithmic)", false),
};

// Waiting is grey, in a loader and in a step, so that work stands out.
const WAITS = {"idle": "var(--g0)", "slot wait": "var(--g1)", "window wait": "var(--g2)", "host waits": "var(--g1)", "library lock": "var(--g2)"};
const WORK = {"order": "var(--s7)", "open": "var(--s4)", "read": "var(--s0)", "inflate": "var(--s5)", "decode": "var(--s3)",
              "tokenise": "var(--s6)", "transform": "var(--s2)", "hand over": "var(--s1)"};

function stageColours(stages) {
  const free = SERIES.filter((colour) => !stages.some((stage) => WORK[stage] === colour));
  let next = 0;
  return stages.map((stage) => WAITS[stage] ?? WORK[stage] ?? (free.length > 0 ? free[next++ % free.length] : SERIES[next++ % SERIES.length]));
}

// Stacked bars of amounts, in the order of their parts. Without a `domain` the longest bar is as long as the chart.
function stacked(rows, width, title, labelExpr, order, {domain = null, colours = null} = {}) {
  const names = distinct(rows, "name");
  const parts = order.filter((part) => rows.some((row) => row.part === part));
  const total = Math.max(...names.map((name) => rows.filter((row) => row.name === name)
    .reduce((sum, row) => sum + row.amount, 0)));
  const x = {field: "amount", type: "quantitative", stack: "zero", title, scale: {domain: domain ?? [0, total * 1.01], nice: false},
             axis: {labelExpr, tickCount: width < NARROW ? 4 : 8}};
  const scale = colours ? {domain: parts, range: colours} : palette(parts, parts.map((part) => order.indexOf(part)));
  const values = rows.map((row) => ({...row, place: parts.indexOf(row.part)}));
  const {height, y, room} = named(names, width, 20);
  const readable = (domain ? domain[1] - domain[0] : total) * 8 / room;  // 8 pixels a character, about
  return {
    data: {values},
    height,
    encoding: {y, order: {field: "place", type: "quantitative"}},
    layer: [
      {
        mark: {type: "bar", stroke: "var(--paper)", strokeWidth: 1.5, opacity: 0.85},
        encoding: {
          x, color: {field: "part", type: "nominal", scale, legend: legendOf(parts)},
          tooltip: tooltip(["name", "configuration"], ["part", "part"], ["amount", title], ["percent", "of the time"]),
        },
      },
      {
        mark: {type: "text", color: "var(--on-bar)", fontSize: 10, baseline: "middle"},
        encoding: {
          x: {...x, bandPosition: 0.5}, detail: {field: "part"},
          text: {condition: {test: `datum.amount > length(datum.part) * ${readable}`, field: "part"}, value: ""},
        },
      },
    ],
  };
}

// The loader's bar above that of the step: both are as long as a sample takes.
function stages(rows, width) {
  const both = distinct(rows, "part").length > 1;
  const values = rows.map(withRun).map((row) => ({
    name: both ? `${row.name}: ${row.part}` : row.name, part: row.stage, amount: row.amount, percent: `${(100 * row.share).toFixed(1)} %`,
  }));
  const parts = distinct(values, "part");
  return stacked(values, width, "µs per sample", "format(datum.value, '~g')", parts, {colours: stageColours(parts)});
}

CHARTS.stages = {
  split: () => ["workload", "mode"], most: MOST_BARS, spec: stages,
  describe: (rows) => rows.slice(0, 24).map((row) => `${row.name}, ${row.part}, ${row.stage}: ${(100 * row.share).toFixed(0)} %`).join("; "),
};

function cpu(rows, width) {
  const parts = [["user", "user"], ["system", "system"]];
  const values = rows.map(withRun).flatMap((row) =>
    parts.map(([key, part]) => ({name: row.name, part, amount: row[key]})));
  return stacked(values, width, "CPU µs per sample", "format(datum.value, '~g')", parts.map(([, part]) => part));
}

CHARTS.cpu = {split: () => ["workload", "mode"], most: MOST_BARS, spec: cpu};
