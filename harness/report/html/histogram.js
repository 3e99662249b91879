// How many elements are how far off, in the bins of the report. Counts are shown by their logarithm: one wrong element among a
// million is to be seen.
const HISTOGRAMS = [
  {title: 'Distance in ulp', edge: ulpEdge, unit: 'ulp'},
  {title: 'Relative error', edge: relativeEdge, unit: ''},
];

function ulpEdge(bin) {
  const edges = data.edges[0];
  const next = edges[bin + 1];
  if (next === undefined || next - edges[bin] <= 1) return count(edges[bin]);
  return `${count(edges[bin])} to ${count(next - 1)}`;
}

function relativeEdge(bin) {
  if (bin === 0) return '0';
  const next = data.edges[1][bin + 1];
  return next === undefined ? `from ${short(data.edges[1][bin])}` : `${short(data.edges[1][bin])} to ${short(next)}`;
}

function axisLabel(which, bin) {
  const edge = data.edges[which][bin];
  return which === 0 ? count(edge) : short(edge);
}

function binsOf(facts, which) {
  if (!facts) return new Map();
  const [first, ...counts] = facts.histograms[which];
  return new Map(counts.map((value, place) => [first + place, value]).filter(([, value]) => value > 0));
}

function histogramSummary(bins, which, elements) {
  const equal = bins.get(0) || 0;
  const largest = Math.max(...bins.keys());
  const {edge, unit} = HISTOGRAMS[which];
  return `${percent(equal / elements)} % of ${plural(elements, 'pair')} at 0; the largest lie at ${edge(largest)} ${unit}`.trim();
}

function bars(bins, which, frame, name, shift, width) {
  const parts = [];
  for (const [bin, value] of bins) {
    const height = Math.max(2, Math.log10(value + 1) / frame.highest * frame.height);
    const title = `${HISTOGRAMS[which].edge(bin)} ${HISTOGRAMS[which].unit}: ${plural(value, 'element')}`;
    parts.push(draw('rect', {class: name, x: frame.x(bin) + shift, y: frame.bottom - height, width, height},
      draw('title', null, title)));
  }
  return parts;
}

// One drawing; null where there are no pairs.
function histogram(tap, which) {
  const free = binsOf(tap.facts, which);
  const own = binsOf(tap.introduced, which);
  if (free.size === 0) return null;
  const {title} = HISTOGRAMS[which];
  const used = [...free.keys(), ...own.keys()].filter((bin) => bin > 0);
  // Bin 0, exactly equal, stands apart; behind it the range of bins that are used.
  const first = used.length ? Math.max(1, Math.min(...used)) : 1;
  const last = used.length ? Math.max(...used, first + 5) : 6;
  const columns = last - first + 3.5;
  const width = 460;
  const frame = {left: 44, bottom: 122, height: 100,
    highest: Math.max(1, Math.ceil(Math.log10(Math.max(...free.values(), ...own.values()) + 1)))};
  const pitch = (width - frame.left - 30) / columns;
  frame.x = (bin) => frame.left + 4 + (bin === 0 ? 0 : (bin - first + 2.5) * pitch);
  const parts = [];
  for (let power = 0; power <= frame.highest; power += Math.max(1, Math.ceil(frame.highest / 4))) {
    const y = frame.bottom - power / frame.highest * frame.height;
    parts.push(draw('path', {class: 'grid', d: `M${frame.left} ${y}H${width}`}));
    parts.push(draw('text', {x: frame.left - 5, y: y + 4, 'text-anchor': 'end'}, power < 4 ? String(10 ** power) : `1e${power}`));
  }
  const room = Math.max(1, pitch - 2);
  const half = own.size ? room / 2 : room;
  parts.push(...bars(free, which, frame, 'bar-free', 1, half));
  parts.push(...bars(own, which, frame, 'bar-introduced', 1 + half, half));
  const every = Math.max(1, Math.ceil((which === 0 ? 48 : 58) / pitch));
  parts.push(draw('text', {x: frame.x(0) + pitch / 2, y: frame.bottom + 16, 'text-anchor': 'middle'}, '0'));
  for (let bin = first; bin <= last; bin += every) {
    if (bin < data.edges[which].length)
      parts.push(draw('text', {x: frame.x(bin) + pitch / 2, y: frame.bottom + 16, 'text-anchor': 'middle'}, axisLabel(which, bin)));
  }
  const pairs = [...free.values()].reduce((sum, value) => sum + value, 0);
  const summary = histogramSummary(free, which, pairs);
  const rows = [...new Set([...free.keys(), ...own.keys()])].sort((one, other) => one - other)
    .map((bin) => [HISTOGRAMS[which].edge(bin), String(free.get(bin) || 0), String(own.get(bin) || 0)]);
  const columnsOfTable = [['from, to', ''], ['elements', 'number'], ['introduced', 'number']];
  const shown = tap.introduced ? 3 : 2;
  return make('figure', {class: 'histogram'},
    make('figcaption', null, make('b', null, title), ` (elements per bin, logarithmic): ${summary}.`),
    own.size ? make('p', {class: 'legend'}, legendEntry(draw('rect', {class: 'bar-free', x: 8, y: 1, width: 10, height: 10}), 'off from the reference'),
      legendEntry(draw('rect', {class: 'bar-introduced', x: 8, y: 1, width: 10, height: 10}), 'introduced by the layer itself')) : null,
    draw('svg', {viewBox: `0 0 ${width} 150`, role: 'img', 'aria-label': `${title}: ${summary}`}, ...parts),
    make('details', null, make('summary', null, 'as numbers'),
      tableOf(columnsOfTable.slice(0, shown), rows.map((row) => row.slice(0, shown)))));
}
