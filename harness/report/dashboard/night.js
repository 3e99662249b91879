// What one night changed, in words: environment first, then verdicts, then figures.
const MOST_LISTED = 30;

function listOf(items, show) {
  const rows = items.slice(0, MOST_LISTED).map((item) => make("li", {}, show(item)));
  if (items.length > MOST_LISTED) rows.push(make("li", { class: "quiet" }, `and ${items.length - MOST_LISTED} more`));
  return make("ul", {}, rows);
}

function nameOf(series, index, chooseLine) {
  const line = series.lines[index];
  const words = `${line.case}: ${line.tap}${line.of === "logits" ? " (logits)" : ""}`;
  if (line.of === "logits") return make("span", { class: "tap" }, words);
  return make("a", { class: "tap", href: "#layers", onclick: () => chooseLine(index) }, words);
}

function nightDetails(series, index, chooseLine) {
  const night = series.nights[index];
  const parts = [make("h3", {}, minute(night.t)), make("p", { class: MARKS[night.mark][0] === "failed" ? "bad" : null }, night.words)];
  const link = night.link && safeLink(night.link);
  if (link) parts.push(make("p", {}, make("a", { href: link }, "the night's report"), ` (${night.link})`));
  else if (night.link) parts.push(make("p", {}, `report: ${night.link}`));
  if (night.self_comparison) parts.push(make("p", { class: "fact" }, `Self-comparison: ${night.self_comparison}.`));
  for (const name of night.gone_cases || []) parts.push(make("p", { class: "bad" }, `Case ${name} is no longer compared.`));
  for (const name of night.new_cases || []) parts.push(make("p", {}, `Case ${name} is new.`));
  if (night.environment) {
    parts.push(make("h3", { class: "fact" }, "Environment changed since the judged night before"),
      listOf(night.environment, ([key, before, after, numeric, sentence]) => sentence
        ? [make("b", {}, sentence), `: ${before.slice(0, 12)} → ${after.slice(0, 12)}`]
        : [make("code", {}, key), ` ${before || "(absent)"} → ${after || "(absent)"}${numeric ? ", changes numbers" : ""}`]));
  }
  if (night.gone_taps) {
    parts.push(make("h3", { class: "bad" }, "No longer compared"), listOf(night.gone_taps, (line) => nameOf(series, line, chooseLine)));
  }
  if (night.new_taps) parts.push(make("h3", {}, "New"), listOf(night.new_taps, (line) => nameOf(series, line, chooseLine)));
  if (night.verdicts) {
    parts.push(make("h3", {}, "Verdicts"), listOf(night.verdicts, ([line, before, after, worse]) =>
      [nameOf(series, line, chooseLine), make("span", { class: worse ? "bad" : null }, ` ${before} → ${after}`)]));
  }
  if (night.drifts) {
    parts.push(make("h3", {}, "Figures beyond their own noise"), listOf(night.drifts, ([line, metric, value, usual, limit, kind, nights]) =>
      [nameOf(series, line, chooseLine), ` ${metric} `, make("b", { class: "bad" }, number(value)),
        `, usually ${number(usual)}, ${kind === "slow rise" ? "began at" : "limit"} ${number(limit)} (${kind}, ${nights} earlier nights)`]));
  }
  if (night.moves) parts.push(make("p", { class: "quiet" }, `${night.moves} figures moved with the environment, within what is allowed.`));
  return parts;
}
