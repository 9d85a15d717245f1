// node charts_test.js LIBRARIES SCRIPT...: what the charts of a report are drawn as, without a browser.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const vm = require("node:vm");

const [libraries, ...scripts] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));
if (libraries === "") {
  console.error("built without npm: there are no charts");
  process.exit(77);
}
const names = ["CHARTS", "rates", "rateText", "apart", "drift", "trialsAlong", "monitorRows", "cpuShares", "stageColours",
               "valueOf", "setTrials", "shownOf", "panelsOf", "runsOf", "slug", "SERIES", "cappedCurve", "calendar", "lettersOf",
               "placedNames", "alongLine"];
vm.runInThisContext(`${libraries}\n${scripts.join("\n")}
const setTrials = (rows) => { trialRows = new Map(rows.map((row) => [cellKey(row), row])); };
globalThis.page = {${names.join(", ")}};`);
const {page, vega, vegaLite} = globalThis;

const tests = [];
const test = (name, body) => tests.push([name, body]);

const rate = (name, mode, mean, more = {}) => ({
  workload: "mnist", name, mode, trials: 5, mean, low: mean * 0.9, high: mean / 0.9, bound: "gather", ceiling: mean * 1.2,
  share: 1 / 1.2, synthetic: 1000, ...more,
});
const trialsRow = (name, mode, numbers) => ({
  workload: "mnist", name, mode, median: 100, rates: numbers, started: numbers.map((_, i) => 10 * i),
  seconds: numbers.map(() => 1), rounds: numbers.map((_, i) => i), outliers: null,
});

function svgOf(spec) {
  const full = {width: 800, autosize: {type: "fit-x", contains: "padding"}, ...spec};
  const warnings = [];
  const logger = {warn: (...words) => (warnings.push(words.join(" ")), logger), info: () => logger, debug: () => logger,
                  error: (...words) => (warnings.push(words.join(" ")), logger), level: () => logger};
  const compiled = vegaLite.compile(full, {logger}).spec;
  const view = new vega.View(vega.parse(compiled), {renderer: "none", logger});
  return view.toSVG().then((svg) => ({svg, warnings}));
}

// What a chart has as labels of its axes and legends, and as words.
const wordsIn = (svg) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, words]) => words);

// The labels that an axis has for these values.
function labelsOf(labelExpr, values) {
  return svgOf({
    data: {values: values.map((value) => ({value}))}, height: 400, mark: "point",
    encoding: {y: {field: "value", type: "quantitative", title: null, axis: {labelExpr, values, labelOverlap: false}}},
  }).then(({svg}) => wordsIn(svg));
}

const count = (text, pattern) => (text.match(pattern) ?? []).length;
const layersWith = (spec, mark) => spec.layer.filter((layer) => layer.mark.type === mark);

test("a box is drawn from five trials on, the trials themselves always", () => {
  page.setTrials([trialsRow("few", "IO", [90, 100, 110]), trialsRow("many", "IO", [90, 100, 100, 100, 110])]);
  const spec = page.CHARTS.throughput.spec([rate("few", "IO", 100, {trials: 3}), rate("many", "IO", 100)], 800);
  const lanes = spec.data.values;
  assert.deepEqual(lanes.map((row) => row.low), [null, 90]);
  assert.equal(layersWith(spec, "point")[0].data.values.length, 8);
});

test("no axis of rates passes zero, whatever the interval", () => {
  page.setTrials([]);
  const linear = page.CHARTS.throughput.spec([rate("a", "IO", 100, {low: 0.5, high: 20000})], 800);
  assert.equal(layersWith(linear, "bar")[0].encoding.x.scale.domain[0], 0);
  const logarithmic = page.CHARTS.throughput.spec([rate("a", "IO", 10, {low: 0.5}), rate("b", "IO", 1e6)], 800);
  const {scale} = layersWith(logarithmic, "bar")[0].encoding.x;
  assert.equal(scale.type, "log");
  assert.ok(scale.domain[0] > 0 && scale.domain[0] < 0.5);
});

test("rows are in the order of the table, in every workload", () => {
  page.setTrials([]);
  const order = (means) => page.CHARTS.throughput.spec(
    ["flow x 1", "flow x 2", "pool x 1"].map((name, i) => rate(name, "IO", means[i])), 800).layer[0].encoding.y.sort;
  assert.deepEqual(order([3, 2, 1]), ["flow x 1", "flow x 2", "pool x 1"]);
  assert.deepEqual(order([1, 3, 2]), ["flow x 1", "flow x 2", "pool x 1"]);
});

test("SYNTHETIC is one line and no row", () => {
  page.setTrials([]);
  const rows = page.CHARTS.throughput.rows([rate("resident", "SYNTHETIC", 1000), rate("a", "IO", 900), rate("a", "FULL", 800)]);
  const spec = page.CHARTS.throughput.spec(rows, 800);
  assert.deepEqual(spec.data.values.map((row) => row.mode), ["IO", "FULL"]);
  const words = layersWith(spec, "text");
  assert.deepEqual(words.map((layer) => layer.data.values), [[{value: 1000, words: "SYNTHETIC 1 k/s"}]]);
});

test("FULL has a chart of its own where IO dwarfs it", () => {
  const panels = (full) => page.CHARTS.throughput.rows([rate("a", "IO", 900), rate("a", "FULL", full)]).map((row) => row.panel);
  assert.deepEqual(panels(800), ["", ""]);
  assert.deepEqual(panels(100), ["IO", "FULL"]);
});

// IO of the first is the fastest, FULL of the last.
const many = Array.from({length: 20}, (_, i) => `pool x ${i + 1}`);
const manyRows = many.flatMap((name, i) => [rate(name, "IO", 1000 - i), rate(name, "FULL", 500 + i)]);
const namesOf = (rows) => [...new Set(rows.map((row) => row.name))];

test("a chart without room for all has the fastest in its own mode, and says so", () => {
  const shown = (mode) => page.shownOf(manyRows.filter((row) => row.mode === mode), page.CHARTS.throughput, manyRows);
  assert.deepEqual(namesOf(shown("IO").rows), many.slice(0, 16));
  assert.deepEqual(namesOf(shown("FULL").rows), many.slice(4));
  assert.equal(shown("IO").words, "the 16 fastest of 20");
});

test("a chart of IO and FULL has the fastest in FULL, and says so", () => {
  const {rows, words} = page.shownOf(manyRows, page.CHARTS.throughput, manyRows);
  assert.deepEqual(namesOf(rows), many.slice(4));
  assert.equal(rows.length, 32);
  assert.equal(words, "the 16 fastest in FULL, of 20");
});

test("a chart of waits has those of the fastest in its mode", () => {
  const waits = many.map((name) => ({workload: "mnist", name, mode: "IO", p50: 1e-6, p95: 1e-5, p99: 1e-4, max: 1e-2}));
  assert.deepEqual(namesOf(page.shownOf(waits, page.CHARTS.waits, manyRows).rows), many.slice(0, 16));
});

test("a chart with room for all says nothing", () => {
  const rows = manyRows.slice(0, 32);
  assert.deepEqual(page.shownOf(rows, page.CHARTS.throughput, manyRows), {rows, words: ""});
});

test("a chart without rates has the first, and says so", () => {
  const epochs = ["A", "B", "C", "D", "E"].map((run) => ({...samples["epoch-loss"][0], run}));
  const {rows, words} = page.shownOf(epochs, page.CHARTS["epoch-loss"], []);
  assert.deepEqual(rows.map((row) => row.run), ["A", "B", "C", "D"]);
  assert.equal(words, "the first 4 of 5");
});

test("a run has the colour of its letter in the charts where it has one line", () => {
  page.setTrials([]);
  const rows = [rate("pool", "IO", 100, {run: "A"}), rate("flow", "IO", 200, {run: "B"})];
  const coloursOf = (spec) => spec.layer.find((layer) => layer.encoding.color).encoding.color.scale;
  const {domain, range} = coloursOf(page.CHARTS.throughput.spec(rows, 800));
  assert.deepEqual(domain, ["A", "B"]);
  const curves = [...rows].reverse().flatMap((row) => [1, 2].map((workers) => ({...row, workers})));
  assert.deepEqual(coloursOf(page.CHARTS.scaling.spec(curves, 800)), {domain: ["pool · A", "flow · B"], range});
  const waits = [...rows].reverse().map((row) => ({...samples.timeline[0], name: row.name, run: row.run}));
  assert.deepEqual(coloursOf(page.CHARTS.timeline.spec(waits, 800)), {domain: ["pool · A", "flow · B"], range});
});

// The colours and the shapes that the points of a chart have, by their names.
const looksOf = (spec) => {
  const {color, shape} = layersWith(spec, "point").at(-1).encoding;
  return Object.fromEntries(color.scale.domain.map((name, i) => [name, [color.scale.range[i], shape.scale.range[i]]]));
};

test("a run keeps its colour in a chart that lacks the runs before it", () => {
  page.setTrials([trialsRow("pool x 1", "IO", [90, 110])].flatMap((row) => ["B", "C"].map((run) => ({...row, run}))));
  const rows = ["B", "C"].map((run) => rate("pool x 1", "IO", 100, {run}));
  const looks = {B: ["var(--s1)", "square"], C: ["var(--s2)", "triangle-up"]};
  assert.deepEqual(looksOf(page.CHARTS.throughput.spec(rows, 800)), looks);
  const curves = rows.flatMap((row) => [1, 2].map((workers) => ({...row, name: "pool", workers})));
  assert.deepEqual(looksOf(page.CHARTS.scaling.spec(curves, 800)), looks);
  const waits = rows.map((row) => ({...samples.timeline[0], name: row.name, run: row.run}));
  assert.deepEqual(looksOf(page.CHARTS.timeline.spec(waits, 800)), {"pool x 1 · B": looks.B, "pool x 1 · C": looks.C});
  const epochs = ["B", "C"].flatMap((run) => samples["epoch-waiting"].map((row) => ({...row, run})));
  assert.deepEqual(looksOf(page.CHARTS["epoch-waiting"].spec(epochs, 800)), looks);
});

test("the lines of a training have the colour of its run, and each its own shape and dash", () => {
  const epochs = ["B", "C"].flatMap((run) => samples["epoch-loss"].map((row) => ({...row, run})));
  const spec = page.CHARTS["epoch-loss"].spec(epochs, 800);
  assert.deepEqual(looksOf(spec), {
    "B: training": ["var(--s1)", "square"], "B: validation": ["var(--s1)", "triangle-down"],
    "C: training": ["var(--s2)", "triangle-up"], "C: validation": ["var(--s2)", "triangle-left"],
  });
  const {domain, range} = layersWith(spec, "line")[0].encoding.strokeDash.scale;
  assert.deepEqual([domain, range], [["training", "validation"], [[1, 0], [5, 3]]]);
});

test("the ninth run has the colour of the first, but another shape", () => {
  const epochs = ["A", "I", "AA"].flatMap((run) => samples["epoch-waiting"].map((row) => ({...row, run})));
  assert.deepEqual(looksOf(page.CHARTS["epoch-waiting"].spec(epochs, 800)),
                   {A: ["var(--s0)", "circle"], I: ["var(--s0)", "square"], AA: ["var(--s2)", "triangle-down"]});
});

test("a part of a bar keeps its colour in a chart that lacks the parts before it", () => {
  const lost = [{workload: "mnist", name: "pool", ranks: 2, loading: 0.1, stragglers: 0.01}];
  const {domain, range} = page.CHARTS["rank-lost"].spec(lost, 800).layer[0].encoding.color.scale;
  assert.deepEqual([domain, range], [["waiting for data", "slowest rank"], ["var(--s0)", "var(--s2)"]]);
});

// Three loaders in three runs, each run a little faster than the one before.
const threeRuns = ["A", "B", "C"].flatMap((run, i) => [["serial", 100], ["flow", 200], ["pool", 300]]
  .map(([name, mean]) => rate(name, "IO", mean + i, {run})));
const marksOf = (spec) => {
  const {scale, field} = layersWith(spec, "point")[0].encoding.color;
  return {names: scale.domain.length, colours: new Set(scale.range).size, field};
};

test("no two lines of the waits over the run have the same mark", () => {
  const waits = threeRuns.map((row) => ({...samples.timeline[0], name: row.name, run: row.run}));
  const {rows, words} = page.shownOf(waits, page.CHARTS.timeline, threeRuns);
  assert.equal(words, "the 8 fastest of 9");
  assert.ok(!rows.some((row) => row.name === "serial" && row.run === "A"));
  assert.deepEqual(marksOf(page.CHARTS.timeline.spec(rows, 800)), {names: 8, colours: 8, field: "name"});
});

test("no two curves over workers have the same mark", () => {
  const curves = threeRuns.flatMap((row) => [1, 2].map((workers) => ({...row, workers})));
  const {rows, words} = page.shownOf(curves, page.CHARTS.scaling, []);
  assert.equal(words, "the 8 fastest of 9");
  assert.deepEqual(marksOf(page.CHARTS.scaling.spec(rows, 800)), {names: 8, colours: 8, field: "line"});
});

test("more runs than marks are in several charts", () => {
  const letters = [..."ABCDEFGHI"];
  const panels = (runs) => namesOf(page.CHARTS.throughput.rows(runs.map((run) => rate("a", "IO", 100, {run})))
    .map((row) => ({name: row.panel})));
  assert.deepEqual(panels(letters.slice(0, 8)), ["IO"]);
  assert.deepEqual(panels(letters), ["IO, runs A to H", "IO, run I"]);
  assert.deepEqual(panels([...letters, "J"]), ["IO, runs A to H", "IO, runs I to J"]);
  assert.deepEqual(panels(["B", "C", "I"]), ["IO, runs B to C", "IO, run I"]);
});

test("runs are in the order of the command line", () => {
  assert.deepEqual(page.runsOf(["AA", "B", "AB", "A", "Z"].map((run) => ({run}))), ["A", "B", "Z", "AA", "AB"]);
});

test("charts of single runs are in the order of the runs, whatever that of their rows", () => {
  const rows = [["B", "IO"], ["A", "IO"], ["B", "FULL"]].map(([run, mode]) => ({run, mode}));
  assert.deepEqual([...page.panelsOf(rows, ["run"])], [["A", [rows[1]]], ["B", [rows[0], rows[2]]]]);
  assert.deepEqual([...page.panelsOf(rows, ["mode"]).keys()], ["IO", "FULL"]);
  assert.deepEqual([...page.panelsOf([{}, {}], [])], [["", [{}, {}]]]);
});

test("a walk of many runs counts its rows, whatever these are called", () => {
  const walk = Array.from({length: 17}, (_, i) => ({...samples.walk[1], run: String.fromCharCode(65 + i)}));
  assert.equal(page.shownOf(walk, page.CHARTS.walk, []).words, "the first 16 of 17");
});

test("a script in a name stays text", async () => {
  page.setTrials([]);
  const {svg} = await svgOf(page.CHARTS.throughput.spec([rate("<script>alert(1)</script>", "IO", 100)], 800));
  assert.equal(count(svg, /<script/g), 0);
  assert.ok(count(svg, /&lt;script&gt;/g) > 0);
});

test("rates are said with three digits", () => {
  assert.deepEqual([12, 999, 1000, 123456, 6.237e6, 2e9].map(page.rateText), ["12", "999", "1 k", "123 k", "6.24 M", "2 G"]);
  assert.deepEqual([999.6, 999600].map(page.rateText), ["1 k", "1 M"]);
});

test("labels of curves keep apart and inside", () => {
  const at = Object.fromEntries(page.apart([{n: "a", y: 98}, {n: "b", y: 97}, {n: "c", y: 10}], 5, 100).map((each) => [each.n, each.at]));
  assert.deepEqual(at, {a: 100, b: 95, c: 10});
});

test("the chart over workers has the compute, the ceiling, both fits and labels", async () => {
  page.setTrials([trialsRow("pool x 1", "FULL", [90, 100, 110])]);
  const rows = [1, 2, 4].map((workers) => ({
    ...rate("pool", "FULL", 100 * workers), workers, compute: 350, efficiency: 1, "fit-scalability": 99 * workers, "fit-capped": 101 * workers,
  }));
  const spec = page.CHARTS.scaling.spec(rows, 800);
  const fields = spec.layer.map((layer) => layer.encoding.y.field);
  for (const field of ["compute", "ceiling", "fit-scalability", "fit-capped"]) assert.ok(fields.includes(field), field);
  const labels = layersWith(spec, "text")[0].data.values.map((label) => label.words).sort();
  assert.deepEqual(labels, ["ceiling", "compute alone 350/s", "pool"]);
  const {svg} = await svgOf(spec);
  assert.ok(svg.includes(">compute alone 350/s<"), svg.replace(/<path[^>]*>/g, ""));
});

test("a line up to a cap is straight up to its corner, and level behind it", () => {
  const points = [[1, 100], [2, 200], [4, 300]].map(([workers, capped]) => ({line: "pool", workers, "fit-capped": capped}));
  const curve = page.cappedCurve(points);
  const at = Object.fromEntries(curve.map((each) => [each.workers, each["fit-capped"]]));
  assert.deepEqual([at[1], at[3], at[4]], [100, 300, 300]);
  for (const each of curve) assert.equal(each["fit-capped"], Math.min(100 * each.workers, 300));
  assert.deepEqual(page.cappedCurve([{line: "pool", workers: 1, "fit-capped": null}]), []);
  const rows = points.map((row) => ({...rate("pool", "FULL", row["fit-capped"]), ...row}));
  const fit = page.CHARTS.scaling.spec(rows, 800).layer.find((layer) => layer.encoding.y.field === "fit-capped");
  assert.equal(fit.mark.interpolate, "linear");
  assert.deepEqual(fit.data.values, curve);
});

test("the laws over workers and the ceiling have different dashes", () => {
  const rows = [1, 2].map((workers) => ({...rate("pool", "FULL", 100 * workers), workers, compute: 350, "fit-scalability": 99, "fit-capped": 98}));
  const {strokeDash} = page.CHARTS.scaling.spec(rows, 360).layer[0].encoding;
  assert.deepEqual(strokeDash.scale.domain, ["scalability law", "line up to a cap", "compute alone 350/s", "ceiling"]);
  assert.deepEqual(strokeDash.scale.range, [[9, 3], [9, 3, 2, 3], [1, 0], [1, 4]]);
});

test("on a narrow page the compute and the ceiling over workers are in the legend, not on the data", async () => {
  globalThis.document = {querySelector: () => null, body: {clientWidth: 360}};
  const rows = [1, 2].map((workers) => ({...rate("pool", "FULL", 100 * workers), workers, compute: 350}));
  const spec = page.CHARTS.scaling.spec(rows, 360);
  assert.deepEqual(layersWith(spec, "text"), []);
  const words = wordsIn((await svgOf({...spec, width: 360})).svg);
  assert.ok(words.includes("compute alone 350/s") && words.includes("ceiling"), words.join("; "));
});

test("names of curves that would leave the chart over workers are in the legend", () => {
  const rows = (name) => [1, 2].map((workers) => ({...rate(name, "FULL", 100 * workers), workers}));
  const long = "thread-pool, compute device:samples_per_second=20000";
  const labels = (name) => layersWith(page.CHARTS.scaling.spec(rows(name), 800), "text").length;
  assert.equal(labels("thread-pool"), 1);
  assert.equal(labels(long), 0);
  const legends = page.CHARTS.scaling.spec([...rows(long), ...rows(`${long}0`)], 800).layer
    .map((layer) => layer.encoding.color?.legend).filter(Boolean);
  assert.ok(legends.length > 0);
});

test("a single curve says its name in every chart of curves", async () => {
  const name = "thread-pool, compute device:samples_per_second=20000,gradient_bytes=1e6";
  globalThis.document = {querySelector: () => null, body: {clientWidth: 1000}};
  for (const id of ["scaling", "rank-scaling", "timeline", "history", "forecast"]) {
    const rows = samples[id].filter((row) => row.name === samples[id][0].name).map((row) => ({...row, name, run: undefined}));
    const words = wordsIn((await svgOf({...page.CHARTS[id].spec(rows, 1000), config: {legend: {labelLimit: 960}}})).svg);
    assert.ok(words.includes(name), `${id}: ${words.join("; ")}`);
  }
});

test("a line through all rows crosses no label above them", () => {
  page.setTrials([]);
  const rows = [rate("a", "IO", 900), rate("b", "IO", 800)];
  const through = (width) => layersWith(page.CHARTS.throughput.spec(rows, width), "rule").at(-1);
  assert.equal(through(800).encoding.y, undefined);
  const {data, encoding} = through(360);
  assert.deepEqual(data.values.map((each) => [each.name, each.value]), [["a", 1000], ["b", 1000]]);
  assert.deepEqual([encoding.y.bandPosition, encoding.y2.bandPosition], [0, 1]);
});

test("a long label loses its middle rather than its end", async () => {
  globalThis.document = {querySelector: () => null, body: {clientWidth: 390}};
  const group = "cgroup /sys/fs/cgroup/memory/process_api/ef5d43b098fa5233109c1a90b9c1964c";
  const rows = page.monitorRows([
    series("time", null, [0, 1], "s"), series("memory of the group", "cgroup /sys/fs/cgroup", [1e9, 2e9], "bytes"),
    series("memory of the group", group, [1e9, 1e9], "bytes"),
  ]);
  const config = {legend: {labelLimit: 318}};
  const words = wordsIn((await svgOf({...page.CHARTS.monitor.spec(rows, 358), width: 358, config})).svg);
  assert.ok(words.includes("cgroup /sys/fs/cgroup"), words.join("; "));
  assert.ok(words.includes("cgroup /sys/fs/cg…3109c1a90b9c1964c"), words.join("; "));
});

test("the chart over ranks has the ideal line, both laws and intervals", () => {
  const spec = page.CHARTS["rank-scaling"].spec(samples["rank-scaling"], 800);
  assert.deepEqual(spec.layer.map((layer) => layer.encoding.y.field), ["ideal", "fit-scalability", "fit-capped", "low", "mean"]);
});

test("time that is lost to ranks is never less than nothing in a bar", () => {
  const values = page.CHARTS["rank-lost"].spec(samples["rank-lost"], 800).data.values;
  assert.deepEqual(values.map((row) => row.amount), [0.1, 0.01, 0, 0.2, 0.01, 0]);
});

test("the time of a rank is cut into what it did in the time of the slowest", () => {
  const values = page.CHARTS.ranks.spec(samples.ranks, 800).data.values;
  assert.deepEqual(values.map((row) => [row.name, row.part, row.amount]),
                   [["rank 0", "step and all else", 0.7], ["rank 0", "waiting for data", 0.3],
                    ["rank 1", "step and all else", 0.6], ["rank 1", "slowest rank", 0.4]]);
});

test("the overhead of several devices is drawn where there is any, by its parts", () => {
  const rows = page.CHARTS.devices.rows([...samples.devices, {...samples.devices[0], overhead: undefined}]);
  const values = page.CHARTS.devices.spec(rows, 800).data.values;
  assert.deepEqual(values.map((row) => [row.part, row.amount]), [["scatter", 0.1], ["gather", 0.2], ["gradients", 0.05]]);
});

test("words stand in a bar only where it has room for them", () => {
  const test = page.CHARTS["rank-lost"].spec(samples["rank-lost"], 800).layer[1].encoding.text.condition.test;
  const [, room] = test.match(/length\(datum.part\) \* ([0-9.e-]+)/);
  assert.ok("waiting for data".length * Number(room) > 0.15, test);
});

test("drift is the median of each round, at the median of its times", () => {
  const rows = [trialsRow("a", "IO", [100, 90]), trialsRow("b", "IO", [102, 80]), trialsRow("c", "IO", [104, 85])];
  const drift = page.drift(page.trialsAlong(rows));
  assert.deepEqual(drift.map((each) => [each.round, each.started, Math.round(each.deviation)]), [[0, 0, 2], [1, 10, -15]]);
});

test("a drift of nothing is described without a sign", () => {
  assert.equal(page.CHARTS.trials.describe([trialsRow("a", "IO", [99.97, 88])]),
               "the medians of the rounds go from 0.0 to -12.0 % of the cells' medians; 0 outliers");
});

test("outliers are ringed and named", async () => {
  const row = {...trialsRow("a", "IO", [100, 101, 50]), outliers: [3]};
  const spec = page.CHARTS.trials.spec([row], 800);
  const rings = spec.layer.filter((layer) => layer.mark.color === "var(--warn)");
  assert.deepEqual(rings[0].data.values.map((trial) => trial.trial), [3]);
  assert.ok((await svgOf(spec)).svg.includes("mnist, a"));
});

test("names of outliers stand where they lie over no marks, nor over each other", () => {
  const outlier = {name: "mnist, a", x: 100, y: 100};
  const placeOf = (marks) => page.placedNames([outlier], marks, 800, 240).map(({dx, dy}) => [dx, dy])[0];
  assert.deepEqual(placeOf([{x: 100, y: 100}]), [11, 0], "beside its ring");
  assert.deepEqual(placeOf([{x: 130, y: 102}]), [-11, 0], "on the other side of it");
  assert.deepEqual(placeOf([{x: 130, y: 102}, {x: 70, y: 100}]), [11, -14], "above");
  const both = page.placedNames([outlier, {...outlier, y: 104}], [], 800, 240);
  assert.deepEqual(both.map(({dx, dy}) => [dx, dy]), [[11, 0], [-11, 0]]);
  const atTheEnd = page.placedNames([{...outlier, x: 790}], [], 800, 240)[0];
  assert.deepEqual([atTheEnd.dx, atTheEnd.dy], [-11, 0]);
});

test("a line is in the way between its points too", () => {
  assert.deepEqual(page.alongLine([{x: 0, y: 0}, {x: 16, y: 0}]), [{x: 0, y: 0}, {x: 8, y: 0}, {x: 16, y: 0}]);
});

const series = (name, of, values, unit = "share") => ({name, of, unit, source: "/proc/stat", lowest: 0, mean: 0, highest: 1, values});

test("series lie at the times of their record, and CPU time is one chart", () => {
  const rows = page.monitorRows([
    series("time", null, [0, 0.5], "s"), series("cpu user", "cpu0", [0.25, null]), series("cpu user", "cpu1", [0.75, 0.5]),
    series("power", "gpu0", [100, 120], "W"),
  ]);
  assert.deepEqual(rows.map((row) => row.chart), ["CPU time · /proc/stat", "CPU time · /proc/stat", "power · /proc/stat"]);
  assert.deepEqual(page.cpuShares(rows.slice(0, 2)),
                   [{time: 0, line: "user", value: 0.5}, {time: 0.5, line: "user", value: 0.5}]);
});

test("the axes of the machine say their units", async () => {
  const labels = (unit, values) => {
    const [row] = page.monitorRows([series("time", null, [0, 1], "s"), series("what", "vda", [0, 1], unit)]);
    return labelsOf(page.CHARTS.monitor.spec([row], 800).layer.at(-1).encoding.y.axis.labelExpr, values);
  };
  assert.deepEqual(await labels("s", [0, 0.001, 0.04]), ["0", "1 ms", "40 ms"]);
  assert.deepEqual(await labels("1/s", [0.5, 500, 10000]), ["0.5/s", "500/s", "10k/s"]);
  assert.deepEqual(await labels("share", [0.005, 0.01, 0.5]), ["0.5%", "1%", "50%"]);
  assert.deepEqual(await labels("bytes/s", [0, 1500]), ["0B/s", "1.5kB/s"]);
  assert.deepEqual(await labels("s/s", [0.5]), ["0.5 s/s"]);
  assert.deepEqual(await labels("W", [120]), ["120 W"]);
  assert.deepEqual(await labels("degrees C", [60]), ["60 °C"]);
  assert.deepEqual(await labels("", [0.5, 12]), ["0.5", "12"]);
});

// Of as many ranks, each faster than the one before.
const ranksOf = (name, ranks) => Array.from({length: ranks}, (_, rank) => ({...samples.ranks[0], name, rank, mean: 100 + rank}));

test("a chart of many ranks has the slowest and the fastest, and says so", () => {
  const {rows, words} = page.shownOf(ranksOf("pool", 64), page.CHARTS.ranks, []);
  assert.deepEqual(rows.map((row) => row.rank), [...Array(31).keys(), 63]);
  assert.equal(words, "the 31 slowest ranks and the fastest");
});

test("a chart of a few ranks has them all", () => {
  const rows = ranksOf("pool", 32);
  assert.deepEqual(page.shownOf(rows, page.CHARTS.ranks, []), {rows, words: ""});
});

test("a chart of the ranks of many configurations has few of each", () => {
  const shown = (configurations) => page.shownOf(Array.from({length: configurations}, (_, i) => ranksOf(`pool x ${i + 1}`, 8)).flat(),
                                                 page.CHARTS.ranks, []);
  assert.equal(shown(8).rows.length, 32);
  assert.equal(shown(8).words, "the 3 slowest ranks and the fastest of each");
  assert.equal(shown(17).rows.length, 32);
  assert.equal(shown(17).words, "the 16 fastest of 17; the slowest rank and the fastest of each");
});

test("no two ticks of a small share have the same label", async () => {
  const devices = [{workload: "mnist", name: "pool", mode: "FULL", how: "DDP", overhead: 0.008, "slowest rank": 0.008}];
  const {axis} = page.CHARTS.devices.spec(devices, 800).layer[0].encoding.x;
  assert.deepEqual(await labelsOf(axis.labelExpr, [0, 0.001, 0.002, 0.008]), ["0%", "0.1%", "0.2%", "0.8%"]);
});

test("every stage of a bar has a colour of its own", () => {
  const stages = ["order", "slot wait", "open", "read", "library lock", "inflate", "decode", "tokenise", "transform", "hand over",
                  "idle"];
  assert.equal(new Set(page.stageColours(stages)).size, 11);
  const step = ["host waits", "forward", "backward", "copy", "update"];
  assert.equal(new Set(page.stageColours(step)).size, 5);
});

test("a walk has a row a step, with its gain and stall behind it", async () => {
  page.setTrials([]);
  const spec = page.CHARTS.walk.spec(samples.walk, 800);
  assert.deepEqual(spec.data.values.map((row) => [row.name, row.label]), [["A: serial x 1", "stall 75 %"], ["B: workers 1 -> 2", "gain +100 %, stall 50 %"]]);
  const {svg} = await svgOf(spec);
  assert.ok(svg.includes("gain +100 %, stall 50 %"));
});

const at = (time) => Date.parse(`2026-11-28T${time}Z`);

test("starts that are seconds apart have whole times and their day, and lie inside the chart", async () => {
  const axis = page.calendar([at("10:38:34"), at("10:38:49")], 800);
  assert.deepEqual(axis.scale.domain, [at("10:38:33"), at("10:38:50")]);
  assert.equal(axis.title, "start of the run on 2026-11-28, UTC");
  const rows = samples.history.map((row, i) => ({...row, started: `2026-11-28T10:38:${i === 0 ? 34 : 49}Z`}));
  const words = wordsIn((await svgOf(page.CHARTS.history.spec(rows, 800))).svg);
  for (const each of ["10:38:35", "10:38:40", "10:38:45", "A", "B"]) assert.ok(words.includes(each), words.join("; "));
});

test("starts on several days have no day in the title", () => {
  assert.equal(page.calendar([at("10:00:00"), at("10:00:00") + 864e5], 800).title, "start of the run, UTC");
});

test("the letter of a run stands once above the chart, and beside that of its neighbour", () => {
  const values = [["A", 0], ["A", 0], ["B", 0], ["C", 1000]].map(([run, started]) => ({run, started}));
  const letters = page.lettersOf(values, [-100, 1100], 1200).map(({run, at}) => [run, at]).sort();
  assert.deepEqual(letters, [["A", 0], ["B", 18], ["C", 1000]]);
});

test("of more runs than letters have room for, every other is named", () => {
  const values = [..."ABCDEFGH"].map((run, i) => ({run, started: 10 * i}));
  assert.deepEqual(page.lettersOf(values, [0, 70], 100).map(({run}) => run).sort(), ["A", "C", "E", "G"]);
});

test("a forecast marks the ranks that saturate storage, where they are on the chart", () => {
  const marks = (saturates) => layersWith(page.CHARTS.forecast.spec(
    samples.forecast.map((row) => ({...row, saturates})), 800), "rule").map((layer) => layer.data.values[0].ranks);
  assert.deepEqual(marks(8), [8]);
  assert.deepEqual(marks(800), []);
});

test("a forecast and its simulation are told apart by a legend, which no layer takes away", () => {
  const both = [...samples.forecast, ...samples.forecast.map((row) => ({...row, name: "a.json, simulated"}))];
  const legends = page.CHARTS.forecast.spec(both, 800).layer.map((layer) => layer.encoding.color)
    .filter((color) => color !== undefined).map((color) => color.legend);
  assert.equal(legends.length, 4);
  assert.ok(legends.every((legend) => legend !== null));
});

const samples = {
  throughput: [rate("a", "IO", 900), rate("a", "FULL", 700)],
  cache: [rate("a", "IO", 900, {cache: "warm"}), rate("a", "IO", 300, {cache: "cold"})],
  walk: [{run: "A", workload: "mnist", name: "serial x 1", full: 10, "full-low": 9, "full-high": 11, synthetic: 40, stall: "75 %"},
         {run: "B", workload: "mnist", name: "workers 1 -> 2", full: 20, "full-low": 19, "full-high": 21, synthetic: 40,
          stall: "50 %", before: "+100 %"}],
  history: [rate("a", "IO", 900, {run: "A", started: "2026-11-21T09:58:00Z"}), rate("a", "IO", 900, {run: "B", started: "2026-11-22T09:58:00Z"})],
  scaling: [1, 2].map((workers) => ({...rate("pool", "IO", 100 * workers), workers})),
  waits: [{workload: "mnist", name: "a", mode: "IO", p50: 1e-6, p95: 1e-5, p99: 1e-4, max: 1e-2}],
  timeline: [{workload: "mnist", name: "a", mode: "IO", round: 0, started: 1, p50: 0, p95: 1e-5, p99: 1e-4, max: 1e-2, rate: 9}],
  start: [{workload: "mnist", name: "a", mode: "IO", first: 0.1, epoch: 1, warm: 0.5}],
  stages: [{workload: "mnist", name: "a", mode: "FULL", part: "loader", stage: "decode", amount: 8, share: 0.8},
           {workload: "mnist", name: "a", mode: "FULL", part: "step", stage: "forward", amount: 9, share: 0.9}],
  cpu: [{workload: "mnist", name: "a", mode: "IO", user: 10, system: 1}],
  trials: [trialsRow("a", "IO", [100, 101, 99])],
  forecast: [1, 4, 16].map((ranks) => ({name: "a.json", cell: "a", ranks, mean: 100 * Math.min(8, ranks), low: 80 * Math.min(8, ranks),
                                        high: 110 * Math.min(8, ranks), limit: "compute", saturates: 8})),
  monitor: page.monitorRows([series("time", null, [0, 1, 2], "s"), series("cpu user", "cpu0", [0.1, null, 0.2])]),
  "epoch-loss": [1, 2].map((epoch) => ({workload: "mnist", name: "a", epoch, training: 1 / epoch, validation: 1.1 / epoch})),
  "epoch-accuracy": [1, 2].map((epoch) => ({workload: "mnist", name: "a", epoch, training: 0.9, validation: 0.8})),
  "epoch-time": [1, 2].map((epoch) => ({workload: "mnist", name: "a", epoch, seconds: 2, validating: 1})),
  "epoch-waiting": [1, 2].map((epoch) => ({workload: "mnist", name: "a", epoch, share: 0.1})),
  "rank-scaling": [1, 2, 4].map((ranks) => ({workload: "mnist", name: "pool", mode: "FULL", ranks, mean: 90 * ranks, low: 85 * ranks,
                                             high: 95 * ranks, ideal: 90 * ranks, "fit-scalability": 89 * ranks, "fit-capped": 90 * ranks})),
  "rank-lost": [1, 2].map((ranks) => ({workload: "mnist", name: "pool", ranks, loading: 0.1 * ranks, stragglers: 0.01, step: -0.001})),
  ranks: [{workload: "mnist", name: "pool", mode: "FULL", rank: 0, mean: 90, step: 0.7, wait: 0.3, early: 0},
          {workload: "mnist", name: "pool", mode: "FULL", rank: 1, mean: 150, step: 0.6, wait: 0, early: 0.4}],
  devices: [{workload: "mnist", name: "pool", mode: "FULL", how: "DP", overhead: 0.3, scatter: 0.1, gather: 0.2},
            {workload: "mnist", name: "pool", mode: "FULL", how: "DDP", overhead: 0.05, gradients: 0.05}],
  "epoch-stages": [1, 2].map((epoch) => ({workload: "mnist", name: "a", epoch, stage: "learn", share: 0.9})),
};

for (const [id, chart] of Object.entries(page.CHARTS)) {
  for (const width of [800, 360]) {
    test(`${id} is drawn ${width} pixels wide without a warning`, async () => {
      assert.ok(samples[id], "a chart without a sample in this test");
      page.setTrials([trialsRow("a", "IO", [90, 100, 110])]);
      globalThis.document = {querySelector: () => null, body: {clientWidth: width}};
      const {svg, warnings} = await svgOf({...chart.spec(samples[id], width), width});
      assert.deepEqual(warnings, []);
      assert.ok(count(svg, /<path/g) > 3);
      if (chart.describe) assert.equal(typeof chart.describe(samples[id]), "string");
    });
  }
}

(async () => {
  let failed = 0;
  for (const [name, body] of tests) {
    try {
      await body();
    } catch (error) {
      ++failed;
      console.error(`${name}: ${error.stack}`);
    }
  }
  console.log(`${tests.length - failed} of ${tests.length} tests passed`);
  process.exit(failed > 0 ? 1 : 0);
})();
