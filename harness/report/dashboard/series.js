// The page of one series: nights, cases, layers.
const state = { night: null, line: null, caseMetric: "kl.mean", layerMetric: "nrmse", layerCase: "", search: "", sort: "order" };

// Nights on which the line's verdict got worse or one of its figures drifted, by line and metric ("" for verdicts).
function worseNights(series) {
  const found = new Map();
  const add = (line, metric, night) => {
    const key = `${line} ${metric}`;
    found.set(key, [...(found.get(key) || []), night]);
  };
  series.nights.forEach((night, index) => {
    for (const [line, , , worse] of night.verdicts || []) if (worse) add(line, "", index);
    for (const [line, metric] of night.drifts || []) add(line, metric, index);
  });
  return (line, metric) => [...new Set([...(found.get(`${line} `) || []), ...(found.get(`${line} ${metric}`) || [])])];
}

function usualOf(values) {
  const sorted = values.filter((value) => typeof value === "number").sort((one, other) => one - other);
  return sorted.length ? sorted[Math.floor(sorted.length / 2)] : null;
}

function lastOf(values) {
  return [...values].reverse().find((value) => value !== null) ?? null;
}

function metricChoice(series, of, chosen, choose) {
  const present = series.metrics.filter((metric) => metric.of === of && series.lines.some((line) => line.values[metric.name]));
  return make("select", { onchange: (event) => choose(event.target.value) },
    present.map((metric) => make("option", { value: metric.name, selected: metric.name === chosen }, metric.name)));
}

function caseSection(series, worse, redraw) {
  const grid = series.lines.map((line, index) => [line, index]).filter(([line]) => line.of === "logits" && line.values[state.caseMetric])
    .map(([line, index]) => trendChart(series, { title: `${line.case}: ${line.tap} ${state.caseMetric}`, values: line.values[state.caseMetric],
      worse: worse(index, state.caseMetric), height: 170, chosen: state.night, choose: (night) => redraw({ night }) }));
  if (!series.lines.some((line) => line.of === "logits")) return null;
  return make("section", { id: "cases" }, make("h2", {}, "Cases: what a user of the model sees"),
    make("div", { class: "controls" }, make("label", {}, "Figure ",
      metricChoice(series, "logits", state.caseMetric, (caseMetric) => redraw({ caseMetric })))),
    make("div", { class: "grid" }, grid));
}

function layerRows(series, worse) {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = series.lines.map((line, index) => ({ line, index, values: line.values[state.layerMetric] }))
    .filter(({ line, values }) => line.of === "tap" && values && (!state.layerCase || line.case === state.layerCase)
      && words.every((word) => `${line.case} ${line.tap}`.toLowerCase().includes(word)))
    .map((row) => ({ ...row, last: lastOf(row.values), usual: usualOf(row.values), worse: worse(row.index, state.layerMetric) }));
  const ratio = (row) => typeof row.last === "number" && row.usual ? row.last / row.usual : row.last === "inf" ? Infinity : 0;
  const orders = { last: (row) => row.last === "inf" ? Infinity : row.last || 0, ratio, worse: (row) => row.worse.length };
  const by = orders[state.sort];
  return by ? rows.sort((one, other) => by(other) - by(one)) : rows;
}

function layerTable(series, worse, redraw) {
  const MOST_ROWS = 300;
  const head = (sort, words) => make("th", { scope: "col" }, sort
    ? make("button", { type: "button", "aria-pressed": String(state.sort === sort), onclick: () => redraw({ sort }) }, words) : words);
  const rows = layerRows(series, worse);
  const body = rows.slice(0, MOST_ROWS).map((row) => make("tr", { tabindex: 0, class: row.index === state.line ? "chosen" : null,
    onclick: () => redraw({ line: row.index }), onkeydown: (event) => { if (event.key === "Enter") redraw({ line: row.index }); } },
  make("td", { class: "tap" }, state.layerCase ? row.line.tap : `${row.line.case}: ${row.line.tap}`),
  make("td", {}, sparkline(series, row.values, row.worse)),
  make("td", { class: "number" }, number(row.last)), make("td", { class: "number" }, number(row.usual)),
  make("td", { class: row.worse.length ? "bad" : null }, row.worse.map((night) => day(series.nights[night].t)).join(", "))));
  return [make("div", { class: "scroll" }, make("table", { id: "layer-table" }, make("thead", {}, make("tr", {},
    head("order", "layer, as they ran"), head(null, "trend"), head("last", "newest"), head("ratio", "usual"), head("worse", "worse on"))),
  make("tbody", {}, body))),
  make("p", { class: "quiet" }, `${rows.length} layers${rows.length > MOST_ROWS ? `, ${MOST_ROWS} shown: search for the others` : ""}`)];
}

function layerSection(series, worse, redraw) {
  const cases = [...new Set(series.lines.filter((line) => line.of === "tap").map((line) => line.case))];
  const line = state.line === null ? null : series.lines[state.line];
  const values = line && line.values[state.layerMetric];
  return make("section", { id: "layers" }, make("h2", {}, "Layers"),
    make("div", { class: "controls" },
      make("label", {}, "Figure ", metricChoice(series, "tap", state.layerMetric, (layerMetric) => redraw({ layerMetric }))),
      make("label", {}, "Case ", make("select", { onchange: (event) => redraw({ layerCase: event.target.value }) },
        make("option", { value: "" }, "all"), cases.map((name) => make("option", { value: name, selected: name === state.layerCase }, name)))),
      make("label", {}, "Find ", make("input", { type: "search", id: "search", value: state.search, spellcheck: "false",
        oninput: (event) => { state.search = event.target.value; document.getElementById("rows").replaceChildren(...layerTable(series, worse, redraw)); } }))),
    values ? trendChart(series, { title: `${line.case}: ${line.tap} ${state.layerMetric}`, values, worse: worse(state.line, state.layerMetric),
      height: 240, chosen: state.night, choose: (night) => redraw({ night }) }) : null,
    make("div", { id: "rows" }, layerTable(series, worse, redraw)));
}

// The line to look at first: where the newest trouble begins, else the one that is furthest off.
function startingLine(series) {
  for (const night of [...series.nights].reverse()) {
    const drift = (night.drifts || []).find(([, metric]) => metric === "introduced.nrmse") || (night.drifts || [])[0];
    const verdict = (night.verdicts || []).find(([line, , , worse]) => worse && series.lines[line].of === "tap");
    const found = drift && series.lines[drift[0]].of === "tap" ? drift : verdict;
    if (found) return found[0];
  }
  const first = series.lines.findIndex((line) => line.of === "tap" && line.values[state.layerMetric]);
  return first < 0 ? null : first;
}

function showSeries(series) {
  const main = document.getElementById("main");
  const worse = worseNights(series);
  state.night = series.nights.length - 1;
  state.line = startingLine(series);
  const redraw = (changes) => {
    Object.assign(state, changes);
    const rows = document.querySelector(".scroll");
    const top = rows ? rows.scrollTop : 0;
    const focused = document.activeElement && document.activeElement.getAttribute("data-night");
    const choose = (night) => redraw({ night });
    const nights = strip(series, choose);
    nights.querySelector(`[data-night="${state.night}"]`).classList.add("chosen");
    main.replaceChildren(
      make("section", { id: "nights" }, make("h2", {}, "Nights"), make("p", { class: "quiet" }, series.counts), nights, legend(),
        make("div", { id: "night", "aria-live": "polite" }, nightDetails(series, state.night, (line) => redraw({ line })))),
      ...[caseSection(series, worse, redraw), layerSection(series, worse, redraw)].filter(Boolean),
      make("section", { id: "rule" }, make("h2", {}, "When a figure is beyond its own noise"), make("p", { class: "quiet" }, series.rule)));
    if (rows) document.querySelector(".scroll").scrollTop = top;
    if (focused !== null && focused !== undefined) document.querySelector(`[data-night="${focused}"]`).focus();
  };
  redraw({});
}
