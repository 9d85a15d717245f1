// Makes of the tables of a report its charts, and lets the reader filter and take away both. Colours are names of the
// style sheet, so that dark mode and print recolour what is drawn already. This file: what the tables hold.
"use strict";

function valueOf(cell) {
  if (cell.className === "none") return null;
  if (cell.className === "values") {
    return cell.dataset.values.split(" ").map((text) => (text === "-" ? null : Number(text)));
  }
  const data = cell.firstElementChild;
  return data ? Number(data.value) : cell.textContent.trim();
}

// Its rows as objects by the keys of the columns: all, or those that the filter leaves.
function rowsOf(table, all = false) {
  const keys = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.key);
  const visible = [...table.tBodies[0].rows].filter((row) => all || !row.hidden);
  return visible.map((row) => Object.fromEntries(keys.map((key, i) => [key, valueOf(row.cells[i])])));
}

function csvOf(table) {
  // A spreadsheet would take text that begins with one of these for a formula.
  const guarded = (text) => (/^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [[...table.tHead.rows[0].cells].map((cell) => cell.textContent)];
  for (const row of table.tBodies[0].rows) {
    if (!row.hidden) lines.push([...row.cells].map((cell) => [valueOf(cell) ?? ""].flat().join(" ")));
  }
  return lines.map((line) => line.map((text) => quoted(guarded(text.trim()))).join(",") + "\n").join("");
}

function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

// All rows of the table of a section; none where there is none.
function rowsIn(section) {
  const table = document.querySelector(`#${section} table`);
  return table ? rowsOf(table, true) : [];
}

// The trials of cells, from the section that has them one by one.
let trialRows = null;

function cellKey(row) {
  return [row.run ?? "", row.workload, row.name, row.mode].join("\n");
}

function trialsOf(row) {
  trialRows ??= new Map(rowsIn("trials").map((each) => [cellKey(each), each]));
  return trialRows.get(cellKey(row)) ?? null;
}
