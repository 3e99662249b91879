// Numbers as a person reads them, as the table in a terminal shows them.
function toNumber(value) {
  if (value === 'nan') return NaN;
  if (value === 'inf') return Infinity;
  if (value === '-inf') return -Infinity;
  return value;
}

function short(value) {
  if (value === undefined || value === null) return '-';
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return '0';
  return value.toExponential(1).replace(/e([+-])(\d)$/, 'e$10$2');
}

function count(value) {
  if (value === undefined || value === null) return '-';
  if (!(Math.abs(value) < 1e7)) return short(value);
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function percent(share) {
  if (share === undefined || share === null) return '-';
  if (share === 1) return '100';
  if (share === 0) return '0';
  if (!Number.isFinite(share)) return short(share);
  if (share > 1 - 1e-4 && share < 1) return '>99.99';
  if (share < 1e-4 && share > 0) return '<0.01';
  return (100 * share).toFixed(2);
}

function limit(value) {
  if (!Number.isFinite(value)) return short(value);
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(2).replace(/\.?0*e([+-])(\d)$/, 'e$10$2');
  return String(Number(value.toPrecision(3)));
}

function plural(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
