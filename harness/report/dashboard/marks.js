// The strip of nights: one mark each, told apart by shape as well as by colour.
const MARKS = {
  passed: ["passed", "✓", "gate passed"],
  regressed: ["regressed", "!", "gate passed, but worse than usual"],
  failed: ["failed", "✕", "gate failed"],
  infrastructure: ["unjudged", "–", "infrastructure trouble, not judged"],
  "no judgement": ["unjudged", "?", "no judgement possible"],
  "not run": ["unjudged", "0", "not run"],
  missing: ["missing", "", "missing: no run when one was due"],
};

function markLabel(night) {
  const words = MARKS[night.mark][2];
  const changed = night.environment ? ", environment changed" : "";
  return `${day(night.t)}: ${words}${changed}`;
}

// Nights and missing ones in the order of time; choose(index) is called with a night's index.
function strip(series, choose) {
  const items = series.nights.map((night, index) => ({ ...night, index }));
  for (const t of series.missing) items.push({ t, mark: "missing", index: null });
  items.sort((one, other) => one.t - other.t);
  const cells = items.map((night) => {
    const [kind, sign] = MARKS[night.mark];
    const classes = `night ${kind}${night.environment ? " changed" : ""}`;
    const label = markLabel(night);
    if (night.index === null || !choose) return make("span", { class: classes, title: label, role: "img", "aria-label": label }, sign);
    return make("button", { type: "button", class: classes, title: label, "aria-label": label, "data-night": night.index,
      onclick: () => choose(night.index) }, sign);
  });
  return make("div", { class: "strip" }, cells);
}

function legend() {
  const items = Object.values(MARKS).map(([kind, sign, words]) =>
    make("span", {}, make("span", { class: `night ${kind}`, "aria-hidden": "true" }, sign), words));
  items.push(make("span", { class: "fact" }, "┃ the environment changed"));
  return make("p", { class: "legend" }, items);
}
