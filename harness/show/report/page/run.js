// What happened during the run: its trials, and the machine. All charts here have the same axis of time, and above it
// a band that shows which trial ran.

const LEFT = 58;  // pixels for the labels of the other axis, the same in all charts, so that moments lie above each other
const MOST_NAMED = 6;  // outliers with their names beside them

// From the rows of the section "trials", one object per trial.
function trialsAlong(rows) {
  return rows.flatMap((row) => row.rates.map((rate, i) => ({
    run: row.run, name: `${row.workload}, ${row.name}`, mode: row.mode, rate, round: row.rounds[i],
    started: row.started[i], ended: row.started[i] + row.seconds[i], deviation: 100 * (rate / row.median - 1),
    outlier: (row.outliers ?? []).includes(i + 1), trial: i + 1,
  })));
}

function middleOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// Where the machine stood in each round: the median of its trials' deviations, at the median of their times.
function drift(trials) {
  return distinct(trials, "round").sort((a, b) => a - b).map((round) => {
    const its = trials.filter((trial) => trial.round === round);
    return {round, started: middleOf(its.map((trial) => trial.started)), deviation: middleOf(its.map((trial) => trial.deviation))};
  });
}

function timeAxis(end, width) {
  return {type: "quantitative", title: "seconds after the start of the run", scale: {domain: [0, end], nice: false},
          axis: {tickCount: width < NARROW ? 4 : 8, grid: false}};
}

function bandOf(trials, x, modes, legend) {
  if (trials.length === 0) return [];
  return [{
    data: {values: trials},
    mark: {type: "rect", strokeWidth: 0.5},
    encoding: {
      x: {...x, field: "started"}, x2: {field: "ended"}, y: {value: -12}, y2: {value: -3},
      color: {...told("mode", modes).color, ...(legend ? {} : {legend: null})},
      tooltip: tooltip(["name", "configuration"], ["mode", "mode"], ["trial", "trial"], ["started", "started, s"]),
    },
  }];
}

// Where the names of outliers stand: beside their rings, or above or below them, wherever they lie over the fewest marks
// and not over each other. All in pixels: `outliers` and `marks` with `x` and `y`, within a chart of this width and
// height.
function placedNames(outliers, marks, width, height) {
  const reach = 5;  // of a mark, from its middle
  const boxOf = (outlier, {dx, dy}) => {
    const length = 6 * outlier.name.length;
    const left = outlier.x + dx - (dx < 0 ? length : 0);
    return {left, right: left + length, top: outlier.y + dy - 6, bottom: outlier.y + dy + 6};
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const places = [0, -14, 14, -28, 28].flatMap((dy) => [{dx: 11, dy}, {dx: -11, dy}]);
  const taken = [];
  return outliers.map((outlier) => {
    const cost = (place) => {
      const box = boxOf(outlier, place);
      const outside = box.left < 0 || box.right > width || box.top < 0 || box.bottom > height;
      const over = marks.filter(({x, y}) => x > box.left - reach && x < box.right + reach &&
                                            y > box.top - reach && y < box.bottom + reach);
      return (outside ? 1e6 : 0) + 1e3 * taken.filter((other) => meet(box, other)).length + over.length;
    };
    const place = places.reduce((best, each) => (cost(each) < cost(best) ? each : best));
    taken.push(boxOf(outlier, place));
    return {...outlier, ...place};
  });
}

// Points close to one another along the line between these.
function alongLine(points) {
  return points.flatMap((point, i) => {
    if (i === 0) return [point];
    const from = points[i - 1];
    const count = Math.max(1, Math.ceil(Math.hypot(point.x - from.x, point.y - from.y) / 8));
    return Array.from({length: count}, (_, k) => ({
      x: from.x + (point.x - from.x) * (k + 1) / count, y: from.y + (point.y - from.y) * (k + 1) / count,
    }));
  });
}

function trialsChart(rows, width) {
  const trials = trialsAlong(rows);
  const modes = MODES.filter((mode) => trials.some((trial) => trial.mode === mode));
  const most = 1.15 * Math.max(5, ...trials.map((trial) => trial.deviation));
  const least = 1.15 * Math.min(-5, ...trials.map((trial) => trial.deviation));
  const ticks = [-90, -50, -20, -10, -5, -2, 0, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const x = timeAxis(Math.max(...trials.map((trial) => trial.ended)), width);
  const y = {
    type: "quantitative", title: "difference from the cell's median", scale: {type: "symlog", constant: 5, domain: [least, most], nice: false},
    axis: {values: ticks.filter((tick) => tick > least && tick < most), minExtent: LEFT, maxExtent: LEFT,
           labelExpr: "(datum.value > 0 ? '+' : '') + datum.value + ' %'"},
  };
  const outliers = trials.filter((trial) => trial.outlier);
  const marks = told("mode", modes);
  const fields = tooltip(["name", "configuration"], ["mode", "mode"], ["trial", "trial"], ["rate", "samples/s"],
                         ["deviation", "% from the median"], ["started", "started, s"]);
  const height = 240;
  const plot = width - LEFT - 30;  // pixels beside the labels of the axis, about
  const bend = (deviation) => Math.sign(deviation) * Math.log1p(Math.abs(deviation) / y.scale.constant);
  const at = (each) => ({
    ...each, x: plot * each.started / x.scale.domain[1],
    y: height * (bend(most) - bend(each.deviation)) / (bend(most) - bend(least)),
  });
  const named = outliers.length <= MOST_NAMED && width >= NARROW
    ? placedNames(outliers.map(at), [...trials.map(at), ...alongLine(drift(trials).map(at))], plot, height) : [];
  return {
    data: {values: trials},
    height,
    layer: [
      ...bandOf(trials, x, modes, true),
      {data: {values: [{zero: 0}]}, mark: {type: "rule", color: "var(--soft)", strokeDash: [2, 3]},
       encoding: {y: {...y, field: "zero"}}},
      {
        mark: {type: "point", filled: true, size: 36, opacity: 0.75},
        encoding: {x: {...x, field: "started"}, y: {...y, field: "deviation"}, ...marks, tooltip: fields},
      },
      {
        data: {values: drift(trials)},
        mark: {type: "line", color: "var(--ink)", strokeWidth: 2, point: {color: "var(--ink)", size: 20}},
        encoding: {x: {...x, field: "started"}, y: {...y, field: "deviation"}, tooltip: tooltip(["round", "round"])},
      },
      ...(outliers.length > 0 ? [{
        data: {values: outliers},
        mark: {type: "point", filled: false, shape: "circle", size: 150, strokeWidth: 1.75, color: "var(--warn)", opacity: 1},
        encoding: {x: {...x, field: "started"}, y: {...y, field: "deviation"}, tooltip: fields},
      }] : []),
      // Twice, so that where there is no free place for a name the marks behind it do not make it unreadable.
      ...(named.length > 0 ? [{stroke: "var(--paper)", strokeWidth: 3}, {color: "var(--ink)"}] : []).map((paint) => ({
        data: {values: named},
        mark: {type: "text", fontSize: 11, baseline: "middle", ...paint,
               align: {expr: "datum.dx < 0 ? 'right' : 'left'"}, dx: {expr: "datum.dx"}, dy: {expr: "datum.dy"}},
        encoding: {x: {...x, field: "started"}, y: {...y, field: "deviation"}, text: {field: "name"}},
      })),
    ],
  };
}

// Never "-0.0".
const tenths = (value) => value.toFixed(1).replace("-0.0", "0.0");

CHARTS.trials = {
  split: (several) => (several ? ["run"] : []), most: Infinity, spec: trialsChart,
  describe: (rows) => {
    const rounds = drift(trialsAlong(rows));
    const ends = rounds.length > 1 ? `the medians of the rounds go from ${tenths(rounds[0].deviation)} to ` +
      `${tenths(rounds.at(-1).deviation)} % of the cells' medians; ` : "";
    return `${ends}${trialsAlong(rows).filter((trial) => trial.outlier).length} outliers`;
  },
};

// ---- The machine ----

const UNITS = {
  "share": PERCENT, "s": SECONDS, "bytes": `${NUMBER} + 'B'`, "bytes/s": `${NUMBER} + 'B/s'`, "1/s": `${NUMBER} + '/s'`,
  "s/s": `${NUMBER} + ' s/s'`, "Hz": `${NUMBER} + 'Hz'`, "W": `${NUMBER} + ' W'`, "degrees C": `${NUMBER} + ' °C'`,
};

// The parts of a CPU's time that add up to all of it make one chart.
const isCpuTime = (row) => row.unit === "share" && /^cpu (user|system|iowait|steal)$/.test(row.name);

// Each with the times of its record and its chart. Series that were always 0 are listed in a note, not drawn.
function monitorRows(rows) {
  const moved = (row) => rows.some((other) => other.run === row.run && other.name === row.name && (other.lowest || other.highest));
  const times = new Map(rows.filter((row) => row.name === "time" && row.unit === "s").map((row) => [row.run, row.values]));
  return rows.filter((row) => row.values && times.has(row.run) && times.get(row.run) !== row.values && moved(row))
    .map((row) => ({...row, times: times.get(row.run), chart: (isCpuTime(row) ? "CPU time" : row.name) + (row.source ? ` · ${row.source}` : "")}));
}

// One CPU's kinds of time, stacked: those of all CPUs, or the mean over the CPUs.
function cpuShares(rows) {
  const all = rows.filter((row) => row.of.startsWith("all "));
  const means = rows.filter((row) => row.of.startsWith("mean of "));
  const chosen = all.length > 0 ? all : means.length > 0 ? means : rows;
  return distinct(chosen, "name").flatMap((name) => {
    const its = chosen.filter((row) => row.name === name);
    return its[0].times.map((time, i) => {
      const known = its.map((row) => row.values[i]).filter((value) => value !== null && value !== undefined);
      return {time, line: name.replace("cpu ", ""),
              value: known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null};
    });
  });
}

function monitor(rows, width) {
  const trials = trialsAlong(rowsIn("trials").filter((row) => row.run === rows[0].run));
  const modes = MODES.filter((mode) => trials.some((trial) => trial.mode === mode));
  const area = isCpuTime(rows[0]);
  const values = area ? cpuShares(rows)
    : rows.flatMap((row) => row.times.map((time, i) => ({time, line: row.of ?? row.name, value: row.values[i] ?? null})));
  const lines = distinct(values, "line");
  const end = Math.max(...rows[0].times, ...trials.map((trial) => trial.ended));
  const x = timeAxis(end, width);
  const unit = rows[0].unit ?? "";
  const y = {
    type: "quantitative", title: null, field: "value", ...(area ? {stack: "zero", scale: {domain: [0, 1]}} : {scale: {zero: unit !== "Hz" && unit !== "degrees C"}}),
    axis: {tickCount: 4, labelExpr: UNITS[unit] ?? NUMBER, minExtent: LEFT, maxExtent: LEFT},
  };
  const legend = lines.length > 1 ? {...legendOf(lines), symbolType: "square"} : null;
  const color = {field: "line", type: "nominal", scale: palette(lines), legend};
  return {
    data: {values},
    height: 110,
    resolve: {scale: {color: "independent"}, legend: {color: "independent"}},
    layer: [
      ...bandOf(trials, x, modes, false),
      {
        mark: area ? {type: "area", clip: true, opacity: 0.8, interpolate: "step-before"}
          : {type: "line", strokeWidth: 1.5, interpolate: "linear", invalid: "break-paths-show-path-domains"},
        encoding: {x: {...x, field: "time"}, y, color, tooltip: tooltip(["line", "of"], ["time", "s"], ["value", unit || "value"])},
      },
    ],
  };
}

CHARTS.monitor = {
  split: (several) => (several ? ["run", "chart"] : ["chart"]), most: Infinity, rows: monitorRows, spec: monitor,
  describe: (rows) => rows.slice(0, 8).map((row) => `${row.of ?? row.name}: from ${row.lowest} to ${row.highest} ${row.unit ?? ""}`).join("; "),
};
