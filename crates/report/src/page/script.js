"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Sorting: a click on a heading sorts its table by that column.
  for (const table of all("table.sortable")) {
    const heads = all("thead th", table);
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const isNumber = head.classList.contains("n");
        const before = head.getAttribute("aria-sort");
        const descending = before === "none" ? isNumber : before === "ascending";
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const key = (row) => {
          const cell = row.cells[column];
          return isNumber ? Number(cell.dataset.v) : cell.textContent;
        };
        const compare = (a, b) => (isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0);
        const body = table.tBodies[0];
        const rows = [...body.rows].sort((a, b) => compare(key(a), key(b)) * (descending ? -1 : 1));
        body.append(...rows);
      });
    });
  }

  // Search: rows of every table that hold the text stay.
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const rows = all("table.sortable tbody tr");
  const texts = rows.map((row) => row.textContent.toLowerCase());
  search.addEventListener("input", () => {
    const sought = search.value.toLowerCase();
    let left = 0;
    rows.forEach((row, at) => {
      const isFound = texts[at].includes(sought);
      row.classList.toggle("unfound", !isFound);
      left += isFound ? 1 : 0;
      show(row);
    });
    found.textContent = sought === "" ? "" : left + " of " + rows.length + " rows";
  });
  const show = (row) => {
    row.hidden = row.classList.contains("unfound") || row.classList.contains("unselected");
  };

  // The brush: two sliders, or the pointer on the chart, select a span of time.
  const data = JSON.parse(document.getElementById("data").textContent);
  const chart = document.querySelector("svg.columns");
  if (!chart || data.columns.length === 0) return;
  const last = data.columns.length - 1;
  const brush = chart.querySelector(".brush");
  const from = document.getElementById("from");
  const to = document.getElementById("to");
  const selected = document.getElementById("selected");
  const lines = all("#intervals tbody tr");
  const wide = chart.viewBox.baseVal.width;
  const number = (value) => value.toLocaleString("en-US");
  const select = (a, b) => {
    const [first, end] = a <= b ? [a, b] : [b, a];
    from.value = first;
    to.value = end;
    const sums = data.columns.slice(first, end + 1).reduce(
      (sums, column) => sums.map((sum, at) => sum + column[at + 1]), [0, 0, 0]);
    const span = data.columns[first][0] + " to " + (end < last ? data.columns[end + 1][0] : data.end);
    from.setAttribute("aria-valuetext", data.columns[first][0]);
    to.setAttribute("aria-valuetext", data.columns[end][0]);
    selected.textContent =
      span + " UTC: " + number(sums[0]) + " records, " + number(sums[1]) + " bytes, " + number(sums[2]) + " errors";
    const each = wide / (last + 1);
    brush.setAttribute("x", first * each);
    brush.setAttribute("width", (end - first + 1) * each);
    brush.classList.toggle("on", first > 0 || end < last);
    for (const line of lines) {
      const at = Number(line.dataset.at);
      line.classList.toggle("unselected", at < first || at > end);
      show(line);
    }
  };
  const at = (event) => {
    const box = chart.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    return Math.max(0, Math.min(last, Math.floor(part * (last + 1))));
  };
  let begin = null;
  chart.addEventListener("pointerdown", (event) => {
    begin = at(event);
    chart.setPointerCapture(event.pointerId);
    select(begin, begin);
  });
  chart.addEventListener("pointermove", (event) => {
    if (begin !== null) select(begin, at(event));
  });
  for (const name of ["pointerup", "pointercancel"]) {
    chart.addEventListener(name, () => {
      begin = null;
    });
  }
  chart.addEventListener("dblclick", () => select(0, last));
  for (const slider of [from, to]) {
    slider.addEventListener("input", () => select(Number(from.value), Number(to.value)));
  }
  select(0, last);
})();
