// Parts that the specifications of charts share.

// By the identifiers of the sections, what each is drawn as:
//   split(several)  columns, by whose values a section has separate charts; `several`: runs are overlaid
//   most            names that a chart has at most
//   line(row)       what is counted instead of names, where a mark is told apart by more than the name, such as the run
//   rows(rows)      the rows of the table that are drawn; without it, all
//   thinned(rows)   those that one chart has room for, and words that say which; without it, all
//   spec(rows, width)   the Vega-Lite specification; a pure function
//   describe(rows)  in words, for people who cannot see it
// A file of its own adds its charts here; cmake/report_page.cmake lists the files.
const CHARTS = {};

const SERIES = ["var(--s0)", "var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)", "var(--s5)", "var(--s6)", "var(--s7)"];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left", "triangle-right"];
const MODES = ["IO", "SYNTHETIC", "FULL"];
const MOST_BARS = 16;  // configurations in a chart; the tables have the best of them all
const MOST_LINES = SERIES.length;
const NARROW = 600;  // pixels; below it labels stand above their bars
const LONGEST_LABEL = 320;  // pixels, beside a bar
const FEW_TRIALS = 5;  // below, an interval says less than the trials themselves
const LETTER = 7;  // pixels, about

const pageWidth = () => (typeof document === "undefined" ? 1000 : document.body.clientWidth);

const distinct = (rows, key) => [...new Set(rows.map((row) => row[key]))];

// Modes have the same colours and shapes in all charts; other names by their order.
function placesOf(domain) {
  return domain.every((name) => MODES.includes(name)) ? domain.map((name) => MODES.indexOf(name)) : domain.map((_, i) => i);
}

// By the letters of a run, so that it looks the same in all charts, whichever runs a chart lacks: A is 0, AA is 26.
const placeOfRun = (run) => [...run].reduce((place, letter) => 26 * place + letter.charCodeAt(0) - 64, 0) - 1;

function palette(domain, places = placesOf(domain)) {
  return {domain, range: places.map((place) => SERIES[place % SERIES.length])};
}

// Places that share a colour have different shapes.
function shapes(domain, places) {
  return {domain, range: places.map((place) => SHAPES[(place + Math.floor(place / SERIES.length)) % SHAPES.length])};
}

// Labels of at most this many pixels. Names often differ only at their ends, so a long one loses its middle.
function shortened(pixels) {
  const half = Math.floor((pixels / LETTER - 1) / 2);
  return `length(datum.label) <= ${2 * half + 1} ? datum.label` +
    ` : slice(datum.label, 0, ${half}) + '…' + slice(datum.label, -${half})`;
}

// As many columns as fit side by side. `fewest`: 1 for names that stand nowhere else in the chart.
function legendOf(domain, fewest = 2) {
  if (domain.length < fewest) return null;
  const most = pageWidth() - 140;  // beside the margins of the page, the other axis and the mark
  const longest = Math.min(most, LETTER * Math.max(...domain.map((name) => String(name).length)));
  return {title: null, columns: Math.max(1, Math.floor(pageWidth() / (longest + 60))), labelExpr: shortened(most)};
}

// Colour and shape say the same, for people who cannot tell one of them.
function told(field, domain, {places = placesOf(domain), fewest = 2} = {}) {
  const legend = legendOf(domain, fewest);
  return {
    color: {field, type: "nominal", scale: palette(domain, places), legend},
    shape: {field, type: "nominal", scale: shapes(domain, places), legend},
  };
}

const SECONDS =
  "datum.value === 0 ? '0' : datum.value >= 1 ? format(datum.value, '~g') + ' s' : " +
  "datum.value >= 1e-3 ? format(datum.value * 1e3, '~g') + ' ms' : " +
  "datum.value >= 1e-6 ? format(datum.value * 1e6, '~g') + ' µs' : format(datum.value * 1e9, '~g') + ' ns'";

// Without the prefix for thousandths: "500m" would be read as minutes or metres.
const NUMBER = "format(datum.value, datum.value < 1 ? '~g' : '~s')";

const PERCENT = "format(datum.value, '~%')";

// Dashes of the laws of scaling. Dots are for ceilings.
const LAW_DASHES = {"fit-scalability": [9, 3], "fit-capped": [9, 3, 2, 3]};

// A legend of dashes; its marks are long enough to tell them apart.
const DASH_LEGEND = {title: null, symbolStrokeColor: "var(--ink)", symbolSize: 600};

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
  const longest = LETTER * Math.max(...names.map((name) => name.length));
  const above = width < NARROW || longest > LONGEST_LABEL ? 20 : 0;
  const step = mark + 8 + above;
  const axis = above > 0
    ? {labelAlign: "left", labelPadding: -4, labelBaseline: "bottom", labelOffset: -mark / 2 - 2, labelLimit: width - 30,
       labelExpr: shortened(width - 30), ticks: false, domain: false}
    : {labelLimit: LONGEST_LABEL, labelPadding: 6, ticks: false};
  const scale = {type: "band", paddingInner: 1 - mark / step, paddingOuter: (above + 4) / step};
  return {
    height: names.length * step + above,
    above: above > 0,
    room: above > 0 ? width - 30 : width - longest - 30,  // pixels beside the labels, about
    y: {field: "name", type: "nominal", sort: names, title: null, axis, scale},
  };
}

function tooltip(...fields) {
  return fields.map(([field, title]) => ({field, title}));
}

const RATE_TOOLTIP = tooltip(["name", "configuration"], ["mean", "samples/s"], ["low", "95 % from"],
                             ["high", "95 % to"], ["ceiling", "ceiling"], ["bound", "of"]);

// With several runs, the run is part of the name.
function withRun(row) {
  return row.run === undefined ? row : {...row, name: `${row.name} · ${row.run}`};
}

// The marks of lines, which are the values of `key`, run by run. If each run has one line, it has the place of its run.
function toldByRun(rows, key) {
  const runs = runsOf(rows);
  const lines = runs.flatMap((run) => distinct(rows.filter((row) => row.run === run), key));
  const single = runs[0] !== undefined && lines.length === runs.length;
  return {lines, ...told(key, lines, {places: single ? runs.map(placeOfRun) : placesOf(lines), fewest: 1})};
}

// Places for labels, none nearer to another than `gap`, each as near to its own as that allows. `items`: with `y`;
// sorted and moved apart, and back again where they would leave the chart at `top`.
function apart(items, gap, top) {
  const sorted = [...items].sort((a, b) => a.y - b.y);
  let below = -Infinity;
  for (const item of sorted) {
    item.at = Math.max(item.y, below + gap);
    below = item.at;
  }
  let above = top;
  for (const item of sorted.reverse()) {
    item.at = Math.min(item.at, above);
    above = item.at - gap;
  }
  return sorted;
}

// Runs in the order of their letters: Z comes before AA.
function runsOf(rows) {
  return distinct(rows, "run").sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
