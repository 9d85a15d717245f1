// How many trials each cell has.

CHARTS["made-up"] = {
  split: () => ["workload", "mode"], most: MOST_BARS,
  spec: (rows, width) => {
    const values = rows.map(withRun);
    const {height, y} = named(distinct(values, "name"), width, 14);
    return {
      data: {values}, height, mark: {type: "point"},
      encoding: {x: {field: "count", type: "quantitative", title: "trials"}, y},
    };
  },
};
