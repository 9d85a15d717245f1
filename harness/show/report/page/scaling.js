// Throughput over the number of workers, with what bounds it.

// The trials of a point, which are named with their workers.
function trialsOfPoint(row) {
  const name = row.name.replace(/^[^,]*/, (loader) => `${loader} x ${row.workers}`);
  return trialsOf({...row, name})?.rates ?? [];
}

// The curve of a line up to a cap, whose value is known at some points: with its corner, which may be between two of them,
// and with enough points for a logarithmic axis.
function cappedCurve(points) {
  const known = points.filter((row) => row["fit-capped"] > 0).sort((a, b) => a.workers - b.workers);
  if (known.length === 0) return [];
  const first = known[0];
  const last = known.at(-1);
  const slope = first["fit-capped"] / first.workers;
  const cap = last["fit-capped"];
  const places = new Set([Math.min(cap / slope, last.workers), last.workers]);
  for (let workers = first.workers; workers < last.workers; workers *= 1.1) places.add(workers);
  return [...places].sort((a, b) => a - b)
    .map((workers) => ({line: first.line, workers, "fit-capped": Math.min(slope * workers, cap)}));
}

function scaling(rows, width) {
  const several = rows[0].run !== undefined;
  const by = several && distinct(rows, "name").length === 1 ? "run" : "name";
  const line = (row) => (by === "run" ? row.run : several ? `${row.name} · ${row.run}` : row.name);
  const boxed = (row) => row.trials === undefined || row.trials >= FEW_TRIALS;
  const values = rows.map((row) => ({...row, line: line(row), ...(boxed(row) ? {} : {low: null, high: null})}));
  const {lines: series, color, shape} = toldByRun([...values].sort((a, b) => a.line.localeCompare(b.line)), "line");
  const workers = distinct(rows, "workers").sort((a, b) => a - b);
  const wide = workers.at(-1) > 12;
  const height = 300;
  const fits = series.length > 4 ? [] : ["fit-scalability", "fit-capped"].filter((key) => rows.some((row) => row[key] > 0));
  const laws = {"fit-scalability": "scalability law", "fit-capped": "line up to a cap"};
  const dots = values.filter((row) => !boxed(row))
    .flatMap((row) => trialsOfPoint(row).map((mean) => ({workers: row.workers, line: row.line, mean})));
  const compute = distinct(values.filter((row) => row.compute > 0), "compute");
  const top = 1.05 * Math.max(...values.flatMap((row) => [row.mean, row.high, row.ceiling, row.compute,
                                                          ...fits.map((fit) => row[fit])]).filter((value) => value > 0),
                              ...dots.map((dot) => dot.mean));
  const x = {
    field: "workers", type: "quantitative", title: wide ? "workers (logarithmic)" : "workers",
    scale: wide ? {type: "log", base: 2, nice: false} : {domain: [workers[0] - 0.3, workers.at(-1) + 0.3], nice: false},
    axis: {values: workers, format: "d", labelOverlap: "greedy", grid: false},
  };
  const y = {type: "quantitative", title: "samples per second", axis: {labelExpr: NUMBER},
             scale: {domain: [0, top], nice: false}};
  const labelled = width >= NARROW && LETTER * Math.max(...series.map((name) => name.length)) < width / 4;
  const ends = series.map((name) => {
    const last = values.filter((row) => row.line === name).sort((a, b) => a.workers - b.workers).at(-1);
    return {line: name, words: name, y: last.mean};
  });
  // Where the compute is the ceiling, it is drawn as the compute.
  const bounded = values.filter((row) => row.ceiling > 0 && !(Math.abs(row.ceiling / row.compute - 1) < 1e-4));
  const highest = bounded.sort((a, b) => a.workers - b.workers || a.ceiling - b.ceiling).at(-1);
  const alone = compute.length === 1 ? `compute alone ${rateText(compute[0])}/s` : "";
  const levels = [
    ...(alone ? [{words: alone, y: compute[0], dash: [1, 0]}] : []),
    ...(highest ? [{words: "ceiling", y: highest.ceiling, dash: [1, 4]}] : []),
  ];
  const labels = apart([...ends, ...levels].map((each) => ({...each, last: workers.at(-1)})), 15 * top / height, top);
  const legend = labelled ? {color: {...color, legend: null}, shape: {...shape, legend: null}} : {color, shape};
  // Only a wide page has room for short words beside the lines; otherwise they are in the legend.
  const dashed = [...fits.map((fit) => ({words: laws[fit], dash: LAW_DASHES[fit]})), ...(labelled ? [] : levels)];
  const dashes = {type: "nominal", title: null,
                  scale: {domain: dashed.map((each) => each.words), range: dashed.map((each) => each.dash)},
                  legend: {...legendOf(dashed.map((each) => each.words), 1), ...DASH_LEGEND,
                           orient: labelled ? "top" : "bottom"}};
  const dashOf = (words) => (dashed.some((each) => each.words === words) ? {strokeDash: {...dashes, datum: words}} : {});
  const last = {...x, field: "last"};
  const capped = series.flatMap((name) => cappedCurve(values.filter((row) => row.line === name)));
  return {
    data: {values},
    height,
    padding: {left: 5, top: 5, bottom: 5, right: labelled ? 18 : 5},
    layer: [
      ...(highest ? [{
        data: {values: bounded},
        transform: [
          {aggregate: [{op: "max", field: "ceiling", as: "ceiling"}], groupby: ["workers"]},
        ],
        mark: {type: "line", color: "var(--ink)", strokeDash: [1, 4], strokeWidth: 2, strokeCap: "round"},
        encoding: {x, y: {...y, field: "ceiling"}, ...dashOf("ceiling")},
      }] : []),
      ...(compute.length > 0 ? [{
        transform: [{filter: "isValid(datum.compute)"}],
        mark: {type: "line", color: "var(--ink)", strokeWidth: 1.25},
        encoding: {x, y: {...y, field: "compute"}, detail: {field: "compute"}, ...dashOf(alone),
                   tooltip: tooltip(["compute", "compute alone, samples/s"])},
      }] : []),
      ...fits.map((fit) => ({
        ...(fit === "fit-capped" ? {data: {values: capped}} : {transform: [{filter: `isValid(datum['${fit}'])`}]}),
        mark: {type: "line", interpolate: fit === "fit-capped" ? "linear" : "monotone", opacity: 0.9},
        encoding: {x, y: {...y, field: fit}, color: legend.color, detail: {field: "line"}, ...dashOf(laws[fit])},
      })),
      {
        mark: {type: "line", opacity: fits.length ? 0.3 : 0.9},
        encoding: {x, y: {...y, field: "mean"}, color: legend.color},
      },
      {
        transform: [{filter: "isValid(datum.low)"}],
        mark: {type: "rule", strokeWidth: 1.5},
        encoding: {x, y: {...y, field: "low"}, y2: {field: "high"}, color: legend.color},
      },
      ...(dots.length > 0 ? [{
        data: {values: dots},
        mark: {type: "point", filled: true, size: 24, opacity: 0.7},
        encoding: {x, y: {...y, field: "mean"}, color: legend.color},
      }] : []),
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1, stroke: "var(--paper)", strokeWidth: 0.5},
        encoding: {
          x, y: {...y, field: "mean"}, ...legend,
          tooltip: tooltip(["name", "configuration"], ["workers", "workers"], ["mean", "samples/s"],
                           ["low", "95 % from"], ["high", "95 % to"], ["efficiency", "per worker, against one worker alone"]),
        },
      },
      ...(labelled ? [{
        data: {values: labels},
        mark: {type: "text", align: "left", baseline: "middle", xOffset: 24, color: "var(--ink)", fontSize: 12},
        encoding: {x: last, y: {...y, field: "at"}, text: {field: "words"}},
      }, {
        data: {values: labels.filter((label) => label.line !== undefined)},
        mark: {type: "point", filled: true, size: 50, xOffset: 16, opacity: 1},
        encoding: {x: last, y: {...y, field: "at"}, ...legend},
      }] : []),
    ],
  };
}

CHARTS.scaling = {
  split: () => ["workload", "mode"], most: MOST_LINES, line: (row) => withRun(row).name, spec: scaling,
  describe: (rows) => rows.slice(0, 16).map((row) => `${row.name} with ${row.workers}: ${rateText(row.mean)} samples/s`).join("; "),
};
