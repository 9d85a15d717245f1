// Charts of training runs: the outcome of each epoch.

const LINE_DASHES = [[1, 0], [5, 3]];  // of the columns of a run
const SAME_COLOUR = SERIES.length * SHAPES.length / 2;  // this many places on, a mark has its colour and another shape

// A line for each of these columns, and for each run where there are several; a run has one colour, and its lines have
// different shapes and dashes. `least`: what the axis reaches to, so that next to nothing looks like it.
function byEpoch(rows, width, columns, title, axis = {}, least = 0) {
  const several = rows[0].run !== undefined;
  const kinds = columns.filter(([key]) => rows.some((row) => isFinite(row[key] ?? NaN)));
  const lineOf = (row, what) => (!several ? what : kinds.length > 1 ? `${row.run}: ${what}` : row.run);
  const whats = columns.map(([, what]) => what);
  const placeOf = (row, what) => (several ? placeOfRun(row.run) + SAME_COLOUR * whats.indexOf(what) : whats.indexOf(what));
  const values = rows.flatMap((row) => kinds
    .filter(([key]) => (row[key] ?? null) !== null)
    .map(([key, what]) => ({
      name: row.name, epoch: row.epoch, value: row[key], what, line: lineOf(row, what), place: placeOf(row, what),
    })));
  const lines = distinct(values, "line");
  const marks = told("line", lines, {places: lines.map((line) => values.find((row) => row.line === line).place)});
  const dash = {field: "what", type: "nominal", scale: {domain: whats, range: LINE_DASHES}, legend: null};
  const last = Math.max(...values.map((row) => row.epoch));
  const x = {
    field: "epoch", type: "quantitative", title: "epoch", scale: {domain: [1, Math.max(2, last)], nice: false, padding: 12},
    axis: {format: "d", tickMinStep: 1, tickCount: Math.min(last, width < NARROW ? 6 : 12), grid: false},
  };
  const most = Math.max(least, ...values.map((row) => row.value));
  const y = {field: "value", type: "quantitative", title, scale: {domain: [0, most], nice: true}, axis};
  return {
    data: {values},
    height: 240,
    encoding: {x, y},
    layer: [
      {mark: {type: "line", opacity: 0.6}, encoding: {color: marks.color, ...(several ? {strokeDash: dash} : {})}},
      {
        mark: {type: "point", filled: true, size: last > 60 ? 20 : 60, opacity: 1},
        encoding: {
          ...marks,
          tooltip: tooltip(["name", "configuration"], ["line", "what"], ["epoch", "epoch"], ["value", title]),
        },
      },
    ],
  };
}

function epochLoss(rows, width) {
  return byEpoch(rows, width, [["training", "training"], ["validation", "validation"]], "mean loss per sample");
}

function epochAccuracy(rows, width) {
  return byEpoch(rows, width, [["training", "training"], ["validation", "validation"]], "share labelled correctly",
                 {labelExpr: PERCENT});
}

function epochTime(rows, width) {
  return byEpoch(rows, width, [["seconds", "learning"], ["validating", "validation"]], "time",
                 {labelExpr: SECONDS});
}

function epochWaiting(rows, width) {
  return byEpoch(rows, width, [["share", "waiting for data"]], "share of the time", {labelExpr: PERCENT},
                 0.1);
}

// One bar per epoch; if there are many, only for the first and the last.
function epochStages(rows, width) {
  const several = rows[0].run !== undefined;
  const epochs = distinct(rows, "epoch").sort((a, b) => a - b);
  const shown = new Set(epochs.length <= MOST_BARS ? epochs : [...epochs.slice(0, MOST_BARS / 2), ...epochs.slice(-MOST_BARS / 2)]);
  const values = rows.filter((row) => shown.has(row.epoch))
    .map((row) => ({name: `${several ? `${row.run}, ` : ""}epoch ${row.epoch}`, part: row.stage, amount: row.share}));
  return stacked(values, width, "share of the time", PERCENT, distinct(values, "part"),
                 {domain: [0, 1]});
}

// Each run has a line for training and one for validation.
const TWO_LINES = {split: () => ["workload"], most: MOST_LINES / 2, line: (row) => row.run};

CHARTS["epoch-loss"] = {...TWO_LINES, spec: epochLoss};
CHARTS["epoch-accuracy"] = {...TWO_LINES, spec: epochAccuracy};
CHARTS["epoch-time"] = {...TWO_LINES, spec: epochTime};
CHARTS["epoch-waiting"] = {...TWO_LINES, most: MOST_LINES, spec: epochWaiting};
CHARTS["epoch-stages"] = {split: () => ["workload"], most: MOST_BARS, spec: epochStages};
