// What the page carries, spelled out: cases of taps with figures by name.
const data = JSON.parse(byId('data').textContent);
const FIGURES = data.figures;
const VERDICTS = data.verdicts.map(([name, tone]) => ({name, tone}));

function factsOf(raw) {
  if (!raw || !raw.f) return null;
  const facts = {classes: raw.c, where: raw.w, patterns: raw.p || [], histograms: raw.h, approximate: raw.q || 0};
  FIGURES.forEach((name, place) => { facts[name] = toNumber(raw.f[place]); });
  return facts;
}

function truthOf(raw) {
  if (!raw) return null;
  const [dtype, reference, candidate, ratio, referenceMax, candidateMax, introduced] = raw;
  return {dtype, reference: toNumber(reference), candidate: toNumber(candidate), ratio: toNumber(ratio),
    referenceMax: toNumber(referenceMax), candidateMax: toNumber(candidateMax),
    introduced: introduced === null ? null : toNumber(introduced)};
}

function noiseOf(raw) {
  if (!raw) return null;
  const figures = Object.entries(raw[2]).map(([name, value]) => [name, toNumber(value)]);
  return {repeats: raw[0], differing: raw[1], figures: new Map(figures)};
}

const BOUNDS = data.bounds.map(({rule, scope, bounds}) => ({rule, scope,
  bounds: bounds.map(([metric, warn, fail, origin]) => ({metric, warn: toNumber(warn), fail: toNumber(fail), origin}))}));

function tapOf(raw, place) {
  const judged = raw.g === undefined ? null : BOUNDS[raw.g];
  const nrmseBound = judged && judged.bounds.find((bound) => bound.metric === 'nrmse');
  return {place, name: raw.n, verdict: VERDICTS[raw.v], order: raw.v, dtype: raw.d, candidateDtype: raw.d2 || raw.d,
    shape: raw.s, candidateShape: raw.s2, elements: raw.e, outcome: raw.o || 'compared', reasons: raw.r || [],
    worst: raw.x || [], facts: factsOf(raw), introduced: factsOf(raw.i), truth: truthOf(raw.t), noise: noiseOf(raw.z),
    judged, failNrmse: nrmseBound ? nrmseBound.fail : undefined, warnNrmse: nrmseBound ? nrmseBound.warn : undefined,
    roundoff: data.roundoff[judged ? judged.scope : raw.d], search: raw.n.toLowerCase()};
}

// Cases are spelled out when they are shown: a report may have many.
const CASES = data.cases.map(({name, taps}) => ({name, raw: taps, spelled: null}));

function tapsOf(item) {
  if (!item.spelled) item.spelled = item.raw.map(tapOf);
  return item.spelled;
}

function linkOf(item, tap) {
  return `#${encodeURIComponent(item.name)}/${encodeURIComponent(tap.name)}`;
}

// The figure that a bound is on, by the names of the policy; undefined where it was not measured.
function measured(tap, metric) {
  if (metric === 'truth.ratio') return tap.truth ? tap.truth.ratio : undefined;
  const inner = metric.startsWith('introduced.');
  const facts = inner ? tap.introduced : tap.facts;
  if (!facts) return undefined;
  const name = inner ? metric.slice('introduced.'.length) : metric;
  if (name === 'unequal') return tap.elements - (facts.classes.equal_bits || 0);
  if (name === 'bias_over_rms') {
    const bias = Math.abs(facts['absolute.mean_signed']);
    return bias === 0 ? 0 : bias / facts.reference_rms;
  }
  if (name === 'absolute.mean_signed') return Math.abs(facts[name]);
  if (name.startsWith('classes.')) return facts.classes[name.slice('classes.'.length)] || 0;
  return facts[name];
}

function isLowerWorse(metric) {
  return /(^|\.)(cosine|exact_share)$/.test(metric);
}
