// Draws the charts, and what the page does when it is read: filter, links, print, a phone's width.

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

// A drawing in dark mode has only names of colours: write it out in the colours of light mode.
function standalone(svg) {
  const light = document.createElement("div");
  light.className = "light";
  document.body.append(light);
  const colours = getComputedStyle(light);
  const text = svg.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
  light.remove();
  return text;
}

const slug = (text) => text.toLowerCase().replace(/[^\w.]+/g, "-").replace(/^-|-$/g, "");

// `chart`: a row of CHARTS; `section`: its identifier.
function draw(holder, section, title, rows, chart) {
  const figure = document.createElement("figure");
  figure.className = "chart";
  figure.id = slug(`${section} ${title}`);
  figure.dataset.workload = rows[0].workload ?? "";
  const caption = document.createElement("figcaption");
  const heading = document.createElement("span");
  heading.textContent = title;
  const drawing = document.createElement("div");
  caption.append(heading);
  figure.append(caption, drawing);
  holder.append(figure);
  const width = holder.clientWidth;
  const words = chart.describe ? `: ${chart.describe(rows)}` : "";
  const full = {
    width, autosize: {type: "fit-x", contains: "padding"}, config: config(width),
    description: `${section}, ${title}${words}. The table of this section has all values.`,
    ...chart.spec(rows, width),
  };
  const view = new vega.View(vega.parse(vegaLite.compile(full).spec), {renderer: "svg", logLevel: vega.Warn});
  view.initialize(drawing).run();
  caption.append(button("SVG", async () => {
    download(`${section} ${title}.svg`.replace(/[^\w.-]+/g, "-"), "image/svg+xml", standalone(await view.toSVG()));
  }));
}

// The rows of the lines that a chart has room for, and words that say which these are; no words if these are all. They
// are the fastest in the mode that the chart shows, in FULL if it shows several; without any rates, the first.
function fastestOf(rows, chart, throughput) {
  const line = chart.line ?? ((row) => row.name);
  const lines = [...new Set(rows.map(line))];
  if (lines.length <= chart.most) return {rows, words: ""};
  const modes = MODES.filter((mode) => rows.some((row) => row.mode === mode));
  const mode = modes.at(-1);  // FULL comes last
  const rates = new Map();
  for (const row of [...throughput, ...rows]) {
    if (row.workload !== rows[0].workload || row.mode !== mode || !(row.mean > 0)) continue;
    rates.set(line(row), Math.max(row.mean, rates.get(line(row)) ?? 0));
  }
  const rated = lines.filter((each) => rates.has(each)).sort((a, b) => rates.get(b) - rates.get(a));
  const shown = new Set((rated.length > 0 ? rated : lines).slice(0, chart.most));
  const words = rated.length === 0 ? `the first ${shown.size} of ${lines.length}`
    : modes.length > 1 ? `the ${shown.size} fastest in ${mode}, of ${lines.length}`
    : `the ${shown.size} fastest of ${lines.length}`;
  return {rows: rows.filter((row) => shown.has(line(row))), words};
}

// The rows of one chart that it has room for, and words that say which these are; no words if these are all.
// `throughput`: the rows of that section.
function shownOf(rows, chart, throughput) {
  const fastest = fastestOf(rows, chart, throughput);
  if (!chart.thinned) return fastest;
  const thinned = chart.thinned(fastest.rows);
  return {rows: thinned.rows, words: [fastest.words, thinned.words].filter(Boolean).join("; ")};
}

// The rows of a section by the titles of its charts, run by run where each run has charts of its own.
function panelsOf(rows, split) {
  const ordered = split.includes("run") ? runsOf(rows).flatMap((run) => rows.filter((row) => row.run === run)) : rows;
  const panels = new Map();
  for (const row of ordered) {
    const title = split.map((key) => row[key]).filter(Boolean).join(", ");
    if (!panels.has(title)) panels.set(title, []);
    panels.get(title).push(row);
  }
  return panels;
}

// What is left to draw: one chart at a time, so that the page can be read and scrolled meanwhile.
let queue = [];

function drawSection(section) {
  const holder = section.querySelector(".charts");
  const chart = CHARTS[section.id];
  if (!holder || !chart) return;
  holder.replaceChildren();
  const visible = rowsOf(section.querySelector("table"));
  const rows = chart.rows ? chart.rows(visible) : visible;
  if (rows.length === 0) return;
  const throughput = rowsIn("throughput");
  for (const [title, its] of panelsOf(rows, chart.split(rows[0].run !== undefined))) {
    const shown = shownOf(its, chart, throughput);
    const heading = (title || section.querySelector("h2").textContent) + (shown.words ? ` (${shown.words})` : "");
    queue.push(() => draw(holder, section.id, heading, shown.rows, chart));
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

function filter(words, tables) {
  for (const table of tables.filter((each) => each.querySelector("th[data-key=workload]"))) {
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }
}

function addFilter(tables, changed) {
  const label = document.createElement("label");
  label.id = "filter";
  label.append("Show only rows with ");
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "words, such as: thread-pool full";
  label.append(input);
  document.querySelector("section.figures:not(#walk)").before(label);
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      filter(input.value.toLowerCase().split(/\s+/).filter(Boolean), tables);
      changed();
    }, 250);
  });
}

// On a narrow page each row of a table is a list of its columns, which needs their names next to the values.
function nameCells(table) {
  if (table.dataset.named) return;
  table.dataset.named = "yes";
  const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, i) => { cell.dataset.title = titles[i]; });
  }
}

function nameCellsWhenNarrow(tables) {
  const narrow = window.matchMedia(`(max-width: ${NARROW}px)`);
  const open = () => {
    if (!narrow.matches) return;
    for (const table of tables) if (table.closest("details").open) nameCells(table);
  };
  open();
  narrow.addEventListener("change", open);
  for (const table of tables) table.closest("details").addEventListener("toggle", open);
}

// A warning's link goes to the chart of its workload, a link of the contents to its section; the target is opened.
function follow(event) {
  const link = event.target.closest?.("a[href^='#']");
  const target = link && document.getElementById(link.getAttribute("href").slice(1));
  if (!target) return;
  if (target.tagName === "DETAILS") target.open = true;
  const figure = link.dataset.workload &&
    [...target.querySelectorAll("figure")].find((each) => each.dataset.workload === link.dataset.workload);
  if (!figure) return;
  event.preventDefault();
  history.replaceState(null, "", `#${figure.id}`);
  figure.scrollIntoView();
}

function start() {
  const charts = typeof vega !== "undefined";
  const tables = [...document.querySelectorAll("section.figures table")];
  for (const table of tables) {
    const details = table.closest("details");
    const name = `${details.closest("section").id}.csv`;
    details.querySelector("summary").after(button("CSV", () => download(name, "text/csv", csvOf(table))));
  }
  for (const command of document.querySelectorAll(".command")) {
    command.after(button("Copy", () => navigator.clipboard.writeText(command.textContent)));
  }
  if (tables.some((table) => table.tBodies[0].rows.length > 24)) addFilter(tables, () => { if (charts) drawAll(); });
  nameCellsWhenNarrow(tables);
  document.addEventListener("click", follow);
  if (!charts) return;
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

if (typeof document !== "undefined") start();
