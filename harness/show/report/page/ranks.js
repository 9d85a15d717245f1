// Charts of scaling studies: throughput over ranks, and where a rank loses time.

const RANK_LINES = [["ideal", "ideal", [1, 0], 1],
                    ["fit-scalability", "scalability law", LAW_DASHES["fit-scalability"], 1.75],
                    ["fit-capped", "shared cap", LAW_DASHES["fit-capped"], 1.75]];

// Both axes are logarithmic, so that the ideal line is straight, and what is lost is the distance from it.
function rankScaling(rows, width) {
  const series = distinct(rows, "name").sort();
  const ranks = distinct(rows, "ranks").sort((a, b) => a - b);
  const x = {
    field: "ranks", type: "quantitative", title: "ranks (logarithmic)", scale: {type: "log", base: 2, nice: false, padding: 12},
    axis: {values: ranks, format: "d", labelOverlap: "greedy", grid: false},
  };
  const lines = RANK_LINES.filter(([key]) => rows.some((row) => row[key] > 0));
  const axis = logarithmic(rows.flatMap((row) => [row.mean, row.low, row.high, row.ideal]));
  const y = {type: "quantitative", title: "samples per second (logarithmic)", scale: axis.scale,
             axis: {values: axis.values, labelExpr: NUMBER}};
  const {color, shape} = told("name", series, {fewest: 1});
  const dashes = {field: "law", type: "nominal", title: null, legend: DASH_LEGEND,
                  scale: {domain: lines.map(([, what]) => what), range: lines.map(([, , dash]) => dash)}};
  return {
    data: {values: rows},
    height: 300,
    layer: [
      ...lines.map(([key, what, , strokeWidth]) => ({
        transform: [{filter: `datum['${key}'] > 0`}, {calculate: `'${what}'`, as: "law"}],
        mark: {type: "line", opacity: 0.8, strokeWidth},
        encoding: {x, y: {...y, field: key}, color, detail: {field: "name"}, strokeDash: dashes},
      })),
      {
        transform: [{filter: "datum.low > 0"}],
        mark: {type: "rule", strokeWidth: 1.5},
        encoding: {x, y: {...y, field: "low"}, y2: {field: "high"}, color},
      },
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1, stroke: "var(--paper)", strokeWidth: 0.5},
        encoding: {
          x, y: {...y, field: "mean"}, color, shape,
          tooltip: tooltip(["name", "configuration"], ["ranks", "ranks"], ["mean", "samples/s"], ["low", "95 % from"],
                           ["high", "95 % to"], ["efficiency", "efficiency"], ["stall", "stall"], ["slowest", "slowest rank"]),
        },
      },
    ],
  };
}

// A bar for each number of ranks. Noise can make a part negative, which a bar cannot be.
function rankLost(rows, width) {
  const parts = [["loading", "waiting for data"], ["gradients", "gradients"], ["stragglers", "slowest rank"], ["step", "slower steps"]];
  const several = distinct(rows, "name").length > 1;
  const values = rows.flatMap((row) => parts.filter(([key]) => row[key] !== undefined && row[key] !== null)
    .map(([key, part]) => ({name: `${several ? `${row.name}, ` : ""}${row.ranks} rank${row.ranks === 1 ? "" : "s"}`, part, amount: Math.max(0, row[key])})));
  return stacked(values, width, "share of a rank's time", PERCENT, parts.map(([, part]) => part),
                 {domain: [0, 1]});
}

// What each rank did during the time of the slowest.
const RANK_PARTS = [["step", "step and all else"], ["wait", "waiting for data"], ["gradients", "gradients"], ["early", "slowest rank"]];
const MOST_RANKS = 32;  // in a chart, of all its configurations

// The ranks of each configuration that a chart has room for: the slowest, and the fastest to compare them with.
function slowestRanks(rows) {
  const configurations = [...panelsOf(rows, ["run", "workload", "name"]).values()];
  const most = Math.max(2, Math.floor(MOST_RANKS / configurations.length));
  if (configurations.every((its) => its.length <= most)) return {rows, words: ""};
  const shown = new Set(configurations.flatMap((its) => {
    const sorted = [...its].sort((a, b) => a.mean - b.mean);
    return its.length <= most ? its : [...sorted.slice(0, most - 1), sorted.at(-1)];
  }));
  const slowest = most > 2 ? `the ${most - 1} slowest ranks` : "the slowest rank";
  return {rows: rows.filter((row) => shown.has(row)),
          words: `${slowest} and the fastest${configurations.length > 1 ? " of each" : ""}`};
}

function ranksTime(rows, width) {
  const several = distinct(rows, "name").length > 1;
  const values = rows.map(withRun).flatMap((row) => RANK_PARTS.filter(([key]) => row[key] > 0)
    .map(([key, part]) => ({name: `${several ? `${row.name}, ` : ""}rank ${row.rank}`, part, amount: row[key],
                            percent: `${(100 * row[key]).toFixed(1)} %`})));
  return stacked(values, width, "share of the time of the slowest rank", PERCENT,
                 RANK_PARTS.map(([, part]) => part), {domain: [0, 1.01]});
}

function devicesOverhead(rows, width) {
  const parts = ["scatter", "replicate", "gather", "gradients", "slowest rank"];
  // With one configuration per run, how it deals says enough.
  const short = distinct(rows, "how").length === rows.length;
  const values = rows.map((row) => withRun(short ? {...row, name: row.how} : {...row, name: `${row.name}, ${row.how}`}))
    .flatMap((row) => parts.filter((part) => row[part] > 0).map((part) => ({name: row.name, part, amount: row[part], percent: `${(100 * row[part]).toFixed(1)} %`})));
  return stacked(values, width, "share of the time", PERCENT, parts);
}

CHARTS.ranks = {
  split: (several) => (several ? ["run", "workload"] : ["workload"]), most: MOST_BARS, thinned: slowestRanks, spec: ranksTime,
  describe: (rows) => rows.slice(0, 16).map((row) => `${row.name}, rank ${row.rank}: ${rateText(row.mean)} samples/s`).join("; "),
};
CHARTS.devices = {
  split: () => ["workload"], most: MOST_BARS, spec: devicesOverhead,
  rows: (rows) => rows.filter((row) => row.overhead > 0),
  describe: (rows) => rows.slice(0, 16).map((row) => `${row.how}: ${(100 * row.overhead).toFixed(1)} % overhead`).join("; "),
};
CHARTS["rank-scaling"] = {
  split: () => ["workload"], most: MOST_LINES, spec: rankScaling,
  describe: (rows) => rows.slice(0, 16).map((row) => `${row.name} with ${row.ranks}: ${rateText(row.mean)} samples/s`).join("; "),
};
CHARTS["rank-lost"] = {split: () => ["workload"], most: MOST_LINES, spec: rankLost};
