// Charts of samples per second: one row per configuration, with one lane per mode (or run, or state of the page
// cache).

// What is known about one lane: its trials one by one, and whether they are enough for a box.
function laneOf(row) {
  const rates = row.rates ?? trialsOf(row)?.rates ?? [];
  const boxed = row.low !== null && (row.trials === undefined || row.trials >= FEW_TRIALS);
  return {...row, rates, low: boxed ? row.low : null, high: boxed ? row.high : null};
}

// The ends of what is drawn; no interval crosses zero, so they do not either.
function extentOf(lanes, more) {
  const values = lanes.flatMap((row) => [row.mean, row.low, row.high, row.ceiling, row.synthetic, ...row.rates]);
  return [...values, ...more].filter((value) => value > 0);
}

function rateAxis(values, means, width, room) {
  const apart = Math.max(...means) > 30 * Math.min(...means);
  if (!apart) {
    return {
      apart,
      type: "quantitative", title: "samples per second", scale: {domain: [0, Math.max(...values) * (1.02 + room)], nice: false},
      axis: {labelExpr: NUMBER, tickCount: width < NARROW ? 4 : 8},
    };
  }
  const log = logarithmic(values);
  log.scale.domain[1] *= (log.scale.domain[1] / log.scale.domain[0]) ** room;
  return {apart, type: "quantitative", title: "samples per second (logarithmic)", scale: log.scale,
          axis: {labelExpr: NUMBER, values: log.values}};
}

// `by`: what the lanes of a configuration differ in, one of `order`. `reference`: values with words, drawn once
// through all rows. `label(row)`: words after a lane.
function rates(rows, width, by, order, {reference = [], label = null} = {}) {
  const lanes = rows.map(laneOf).map((row) => ({
    ...row, label: label ? label(row) : "", end: Math.max(row.mean, row.high ?? 0, row.ceiling ?? 0, row.synthetic ?? 0, ...row.rates),
  }));
  const names = distinct(lanes, "name");
  const groups = order.filter((group) => lanes.some((row) => row[by] === group));
  const values = extentOf(lanes, reference.map((each) => each.value));
  const {apart, ...x} = rateAxis(values, lanes.map((row) => row.mean), width, label ? 0.3 : 0);
  const {height, y, above} = named(names, width, 16 * groups.length);
  const place = {y, yOffset: {field: by, sort: groups, scale: {domain: groups}}};
  const {color, shape} = told(by, groups, {places: by === "run" ? groups.map(placeOfRun) : placesOf(groups)});
  const dots = lanes.flatMap((row) => row.rates
    .map((rate, i) => ({name: row.name, [by]: row[by], mean: rate, trial: i + 1})));
  const has = (field) => lanes.some((row) => row[field] > 0);
  const middle = values.length > 0 ? Math.max(...values) * 0.6 : 0;
  return {
    data: {values: lanes},
    height,
    layer: [
      ...(apart ? [] : [{
        mark: {type: "rule", strokeWidth: 2.5, opacity: 0.35},
        encoding: {...place, x: {...x, field: "mean"}, x2: {datum: 0}, color},
      }]),
      ...(has("low") ? [{
        transform: [{filter: "isValid(datum.low)"}],
        mark: {type: "bar", height: 11, opacity: 0.28, cornerRadius: 2},
        encoding: {...place, x: {...x, field: "low"}, x2: {field: "high"}, color,
                   tooltip: RATE_TOOLTIP},
      }] : []),
      {
        mark: {type: "tick", thickness: 2.5, size: 15, opacity: 1},
        encoding: {...place, x: {...x, field: "mean"}, color, tooltip: RATE_TOOLTIP},
      },
      ...(dots.length > 0 ? [{
        data: {values: dots},
        mark: {type: "point", filled: true, size: 40, opacity: 0.9, stroke: "var(--paper)", strokeWidth: 0.5},
        encoding: {...place, x: {...x, field: "mean"}, color, shape,
                   tooltip: tooltip(["name", "configuration"], [by, by], ["trial", "trial"], ["mean", "samples/s"])},
      }] : []),
      ...(has("ceiling") ? [{
        transform: [{filter: "isValid(datum.ceiling)"}],
        mark: {type: "tick", color: "var(--ink)", thickness: 2, size: 13},
        encoding: {...place, x: {...x, field: "ceiling"}, tooltip: RATE_TOOLTIP},
      }] : []),
      ...(reference.length === 0 && has("synthetic") ? [{
        transform: [{filter: "isValid(datum.synthetic)"}],
        mark: {type: "tick", color: "var(--soft)", thickness: 2, size: 15},
        encoding: {...place, x: {...x, field: "synthetic"}, tooltip: tooltip(["synthetic", "SYNTHETIC, samples/s"])},
      }] : []),
      ...reference.flatMap((each) => [{
        // Labels above their bars are not crossed.
        data: {values: above ? names.map((name) => ({...each, name})) : [each]},
        mark: {type: "rule", color: "var(--ink)", strokeDash: [6, 4], strokeWidth: 1.25},
        encoding: {x: {...x, field: "value"},
                   ...(above ? {y: {...y, bandPosition: 0}, y2: {field: "name", bandPosition: 1}} : {})},
      }, {
        data: {values: [each]},
        mark: {type: "text", align: each.value > middle ? "right" : "left", dx: each.value > middle ? -4 : 4,
               baseline: "bottom", color: "var(--ink)", fontSize: 11},
        encoding: {x: {...x, field: "value"}, y: {value: -3}, text: {field: "words"}},
      }]),
      ...(label ? [{
        transform: [{filter: "datum.label !== ''"}],
        mark: {type: "text", align: "left", dx: 8, baseline: "middle", color: "var(--ink)", fontSize: 11},
        encoding: {...place, x: {...x, field: "end"}, text: {field: "label"}},
      }] : []),
    ],
  };
}

// "6.24 M": as many digits as a chart can show.
function rateText(value) {
  const steps = [[1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const rounded = Number(value.toPrecision(3));
  const [unit, letter] = steps.find(([each]) => rounded >= each) ?? [1, ""];
  return Number((rounded / unit).toPrecision(3)) + letter;
}

// SYNTHETIC is one line where it is the same for all rows; that is not worth a chart of its own.
function syntheticOf(rows) {
  const alone = distinct(rows.filter((row) => row.synthetic > 0), "synthetic");
  return alone.length === 1 ? [{value: alone[0], words: `SYNTHETIC ${rateText(alone[0])}/s`}] : [];
}

function describeRates(rows) {
  return rows.slice(0, 12).map((row) => `${row.name}, ${row.mode}: ${rateText(row.mean)} samples/s`).join("; ") +
    (rows.length > 12 ? "; and more" : "");
}

// SYNTHETIC is a line rather than a row, unless there is nothing else. Where IO dwarfs FULL, each has a chart of its
// own. Where there are more runs than marks, each chart has a few of them.
function throughputRows(rows) {
  const shown = rows.filter((row) => row.mode !== "SYNTHETIC");
  if (shown.length === 0) return rows;
  const most = (workload, mode) => Math.max(0, ...shown
    .filter((row) => row.workload === workload && row.mode === mode).map((row) => row.mean));
  const dwarfed = new Set(distinct(shown, "workload").filter((workload) => most(workload, "IO") > 4 * most(workload, "FULL")));
  const runs = runsOf(shown);
  const together = (run) => {
    const its = runs.filter((other) => Math.floor(placeOfRun(other) / MOST_LINES) === Math.floor(placeOfRun(run) / MOST_LINES));
    if (its.length === runs.length) return "";
    return its.length > 1 ? `, runs ${its[0]} to ${its.at(-1)}` : `, run ${run}`;
  };
  const words = new Map(runs.map((run) => [run, run === undefined ? "" : together(run)]));
  const panel = (row) => (row.run !== undefined || dwarfed.has(row.workload) ? row.mode + words.get(row.run) : "");
  return shown.map((row) => ({...row, panel: panel(row)}));
}

CHARTS.throughput = {
  split: () => ["workload", "panel"], most: MOST_BARS, rows: throughputRows,
  spec: (rows, width) => (rows[0].run === undefined
    ? rates(rows, width, "mode", MODES, {reference: syntheticOf(rows)})
    : rates(rows, width, "run", runsOf(rows), {reference: syntheticOf(rows)})),
  describe: describeRates,
};

CHARTS.cache = {
  split: (several) => (several ? ["run", "workload", "mode"] : ["workload", "mode"]), most: MOST_BARS,
  spec: (rows, width) => rates(rows, width, "cache", distinct(rows, "cache")),
  describe: describeRates,
};

const stepOf = (row) => `${row.run}: ${row.name}`;

// Steps from run to run: what changed, IO and FULL next to the compute, then the gain and the stall.
function walk(rows, width) {
  const followed = ["FULL", "IO", "SYNTHETIC"].find((mode) => rows.some((row) => row[mode.toLowerCase()] > 0));
  const values = rows.flatMap((row) => MODES
    .map((mode) => ({mode, key: mode.toLowerCase()}))
    .filter(({mode, key}) => row[key] > 0 && (mode !== "SYNTHETIC" || mode === followed))
    .map(({mode, key}) => ({
      name: stepOf(row), mode, mean: row[key], low: row[`${key}-low`] ?? null, high: row[`${key}-high`] ?? null,
      synthetic: row.synthetic ?? null, trials: row.rates?.length, rates: mode === followed ? row.rates ?? [] : [],
      words: [row.before ? `gain ${row.before}` : "", row.stall ? `stall ${row.stall}` : ""].filter(Boolean).join(", "),
    })));
  return rates(values, width, "mode", MODES, {
    reference: syntheticOf(values), label: width < NARROW ? null : (row) => (row.mode === followed ? row.words : ""),
  });
}

CHARTS.walk = {
  split: () => ["workload"], most: MOST_BARS, line: stepOf, spec: walk,
  describe: (rows) => rows.map((row) => stepOf(row) + (row.before ? `, gain ${row.before}` : "") +
    (row.stall ? `, stall ${row.stall}` : "")).join("; "),
};

// Each tick says all that is needed to read it alone, apart from a day that all have in common.
const TICKS = {milliseconds: "%H:%M:%S.%L", seconds: "%H:%M:%S", minutes: "%H:%M", hours: "%H:%M", date: "%b %d", week: "%b %d"};

// The axis of the starts of runs, with room at both ends.
function calendar(starts, width) {
  const first = Math.min(...starts);
  const last = Math.max(...starts);
  const margin = Math.max(1000, 0.05 * (last - first));
  const domain = [first - margin, last + margin];
  const [day, other] = domain.map((time) => new Date(time).toISOString().slice(0, 10));
  return {
    type: "temporal", scale: {type: "utc", domain, nice: false},
    title: day === other ? `start of the run on ${day}, UTC` : "start of the run, UTC",
    axis: {tickCount: width < NARROW ? 3 : 6, format: TICKS, labelOverlap: "greedy", grid: false},
  };
}

// The letters of runs above the chart, beside each other where runs are close; of many runs only some, evenly.
function lettersOf(values, [first, last], width) {
  const letter = (last - first) * 18 / width;
  const runs = runsOf(values).map((run) => values.find((row) => row.run === run));
  const every = Math.ceil(runs.length * letter / (last - first));
  return apart(runs.filter((_, i) => i % every === 0).map(({run, started}) => ({run, y: started})), letter, last);
}

function historyChart(rows, width) {
  const values = rows.map((row) => ({...row, started: Date.parse(row.started)}));
  const names = distinct(values, "name");
  const {color, shape} = told("name", names, {fewest: 1});
  const x = calendar(values.map((row) => row.started), width);
  const y = {type: "quantitative", title: "samples per second", axis: {labelExpr: NUMBER}, scale: {zero: false, padding: 10}};
  return {
    data: {values},
    height: 260,
    encoding: {x: {...x, field: "started"}},
    layer: [
      {mark: {type: "rule", color: "var(--grid)"}, encoding: {}},
      {
        data: {values: lettersOf(values, x.scale.domain, width)},
        mark: {type: "text", baseline: "bottom", color: "var(--ink)", fontSize: 12},
        encoding: {x: {...x, field: "at"}, y: {value: -4}, text: {field: "run"}},
      },
      {mark: {type: "line", opacity: 0.5}, encoding: {y: {...y, field: "mean"}, color}},
      {
        transform: [{filter: "isValid(datum.low)"}],
        mark: {type: "rule", strokeWidth: 1.5},
        encoding: {y: {...y, field: "low"}, y2: {field: "high"}, color},
      },
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1},
        encoding: {y: {...y, field: "mean"}, color, shape, tooltip: [...tooltip(["run", "run"]), ...RATE_TOOLTIP]},
      },
    ],
  };
}

CHARTS.history = {split: () => ["workload", "mode"], most: MOST_LINES, spec: historyChart};
