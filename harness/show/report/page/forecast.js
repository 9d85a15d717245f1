// What a measured loader and step would give on more ranks.

function forecast(rows, width) {
  const lines = distinct(rows, "name");
  const ranks = distinct(rows, "ranks").sort((a, b) => a - b);
  const {color, shape} = told("name", lines, {fewest: 1});
  const along = logarithmic(ranks);
  const x = {
    field: "ranks", type: "quantitative", title: "ranks (logarithmic)", scale: {...along.scale, nice: false},
    axis: {values: ranks.length <= 16 ? ranks : along.values, format: "~s", labelOverlap: "greedy", grid: false},
  };
  const up = logarithmic(rows.flatMap((row) => [row.low, row.mean, row.high]));
  const y = {type: "quantitative", title: "samples per second (logarithmic)", scale: {...up.scale, nice: false},
             axis: {values: up.values, labelExpr: NUMBER}};
  const saturated = lines.map((name) => rows.find((row) => row.name === name))
    .filter((row) => row.saturates >= ranks[0] && row.saturates <= ranks.at(-1))
    .map((row) => ({name: row.name, ranks: row.saturates, words: `storage saturates at ${row.saturates}`}));
  return {
    data: {values: rows},
    height: 300,
    layer: [
      {
        mark: {type: "area", opacity: 0.2},
        encoding: {x, y: {...y, field: "low"}, y2: {field: "high"}, color: color},
      },
      {mark: {type: "line", opacity: 0.9}, encoding: {x, y: {...y, field: "mean"}, color}},
      ...(saturated.length > 0 ? [{
        data: {values: saturated},
        mark: {type: "rule", strokeDash: [4, 4], strokeWidth: 1.5},
        encoding: {x, color: color, tooltip: tooltip(["name", "of"], ["words", "where"])},
      }, {
        data: {values: saturated},
        mark: {type: "text", align: width < NARROW ? "center" : "right", dx: width < NARROW ? 0 : -6, baseline: "top",
               color: "var(--ink)", fontSize: 11},
        encoding: {x, y: {value: 4}, text: {field: "words"}},
      }] : []),
      {
        mark: {type: "point", filled: true, size: 60, opacity: 1, stroke: "var(--paper)", strokeWidth: 0.5},
        encoding: {
          x, y: {...y, field: "mean"}, color, shape,
          tooltip: tooltip(["name", "of"], ["cell", "configuration"], ["ranks", "ranks"], ["mean", "samples/s"],
                           ["low", "low end"], ["high", "high end"], ["limit", "limit"]),
        },
      },
    ],
  };
}

CHARTS.forecast = {
  split: () => [], most: MOST_LINES, spec: forecast,
  describe: (rows) => rows.slice(0, 16).map((row) => `${row.name} on ${row.ranks}: ${rateText(row.mean)} samples/s`).join("; "),
};
