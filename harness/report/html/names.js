// Names, verdicts and tables of the report.
// A name in parts, between which a line may break: behind its dots and slashes, and in a long part behind its underscores.
function breakable(name) {
  const parts = name.split(/(?<=[./])/).flatMap((part) => (part.length > 18 ? part.split(/(?<=_)/) : [part]));
  return parts.flatMap((part, place) => (place ? [make('wbr'), part] : [part]));
}

function badge(verdict) {
  return make('span', {class: `badge ${verdict.tone}`}, verdict.name);
}

// A table whose columns are [title, "number" or ""].
function tableOf(columns, rows) {
  const head = columns.map(([title, kind]) => make('th', {scope: 'col', class: kind || null}, title));
  const body = rows.map((cells) => make('tr', null, ...cells.map((cell, place) =>
    make('td', {class: columns[place][1] || null}, cell))));
  return make('div', {class: 'scroll'},
    make('table', null, make('thead', null, make('tr', null, ...head)), make('tbody', null, ...body)));
}
