// Trends as SVG: one figure over the nights, environment changes as vertical lines, worse nights ringed, nights without a
// judgement as crosses on the axis.
function scaleOf(values) {
  const finite = values.filter((value) => typeof value === "number");
  const positive = finite.filter((value) => value > 0);
  const top = Math.max(0, ...finite);
  const low = positive.length ? Math.min(...positive) : 0;
  const logarithmic = low > 0 && top / low > 30;
  const lowest = logarithmic ? Math.log10(low) - 0.15 : 0;
  const highest = logarithmic ? Math.log10(top) + 0.15 : (top || 1) * 1.08;
  const share = (value) => {
    if (value === "inf") return 1;
    if (logarithmic) return value > 0 ? (Math.log10(value) - lowest) / (highest - lowest) : 0;
    return value / highest;
  };
  return { share, logarithmic, top, low: logarithmic ? low : 0 };
}

function placeOf(series) {
  const times = [...series.nights.map((night) => night.t), ...series.missing];
  const first = Math.min(...times);
  const span = Math.max(...times) - first || 1;
  return (t) => (t - first) / span;
}

// Parts of the line: a night without a figure breaks it.
function pathOf(points) {
  let text = "";
  let drawing = false;
  for (const point of points) {
    if (point) text += `${drawing ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
    drawing = Boolean(point);
  }
  return text;
}

function sparkline(series, values, worse) {
  const width = 180;
  const height = 26;
  const scale = scaleOf(values);
  const place = placeOf(series);
  const points = values.map((value, night) => value === null ? null
    : [3 + place(series.nights[night].t) * (width - 6), height - 4 - scale.share(value) * (height - 8)]);
  const dots = worse.filter((night) => points[night])
    .map((night) => draw("circle", { cx: points[night][0], cy: points[night][1], r: 3, class: "dot worse" }));
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, draw("path", { d: pathOf(points), class: "trend" }), dots);
}

// `worse`: indices of the nights on which this figure, or the place's verdict, regressed.
function trendChart(series, { title, values, worse, height = 200, chosen, choose }) {
  const width = 640;
  const box = { left: 56, right: 12, top: 10, bottom: 26 };
  const scale = scaleOf(values);
  const place = placeOf(series);
  const x = (t) => box.left + place(t) * (width - box.left - box.right);
  const y = (value) => height - box.bottom - scale.share(value) * (height - box.top - box.bottom);
  const parts = [draw("line", { class: "axis", x1: box.left, x2: width - box.right, y1: height - box.bottom, y2: height - box.bottom })];
  for (const value of new Set([scale.low, scale.top])) {
    parts.push(draw("line", { class: "axis", x1: box.left, x2: width - box.right, y1: y(value), y2: y(value) }),
      draw("text", { x: box.left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value)));
  }
  const times = series.nights.map((night) => night.t);
  parts.push(draw("text", { x: box.left, y: height - 8 }, day(Math.min(...times))),
    draw("text", { x: width - box.right, y: height - 8, "text-anchor": "end" }, day(Math.max(...times))));
  series.nights.forEach((night) => {
    const at = x(night.t);
    if (night.environment) {
      parts.push(draw("line", { class: "change", x1: at, x2: at, y1: box.top, y2: height - box.bottom },
        draw("title", {}, `environment changed on ${day(night.t)}`)));
    }
    if (MARKS[night.mark][0] === "unjudged") {
      const base = height - box.bottom;
      parts.push(draw("path", { class: "idle", d: `M${at - 3} ${base - 3}L${at + 3} ${base + 3}M${at - 3} ${base + 3}L${at + 3} ${base - 3}` },
        draw("title", {}, markLabel(night))));
    }
  });
  for (const t of series.missing) {
    parts.push(draw("circle", { class: "idle", cx: x(t), cy: height - box.bottom, r: 3, "stroke-dasharray": "2 1" },
      draw("title", {}, `${day(t)}: missing`)));
  }
  if (chosen !== null) parts.push(draw("line", { class: "pointer", x1: x(times[chosen]), x2: x(times[chosen]), y1: box.top, y2: height - box.bottom }));
  const points = values.map((value, night) => value === null ? null : [x(times[night]), y(value)]);
  parts.push(draw("path", { d: pathOf(points), class: "trend" }));
  points.forEach((point, night) => {
    if (!point) return;
    const bad = worse.includes(night);
    if (bad) parts.push(draw("circle", { cx: point[0], cy: point[1], r: 7, class: "ring" }));
    parts.push(draw("circle", { cx: point[0], cy: point[1], r: bad ? 4 : 2.5, class: bad ? "dot worse" : "dot" },
      draw("title", {}, `${day(times[night])}: ${number(values[night])}${bad ? ", worse" : ""}`)));
  });
  const nearest = (event) => {
    const frame = svg.getBoundingClientRect();
    const at = (event.clientX - frame.left) / frame.width * width;
    let best = 0;
    times.forEach((t, night) => { if (Math.abs(x(t) - at) < Math.abs(x(times[best]) - at)) best = night; });
    return best;
  };
  const words = scale.logarithmic ? `${title}, logarithmic` : title;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `${words} over the nights`,
    onclick: (event) => choose(nearest(event)) }, parts);
  return make("figure", { style: null, class: "figure" }, make("h3", { class: "tap" }, words), svg);
}
