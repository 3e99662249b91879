// Everything there is to say about one layer.
const CLASS_WORDS = {
  equal_bits: 'equal bits', finite: 'finite on both sides', both_nan: 'NaN on both sides',
  nan_reference_only: 'NaN in the reference only', nan_candidate_only: 'NaN in the candidate only',
  inf_equal: 'the same infinity', inf_opposite: 'infinities of opposite sign',
  inf_reference_only: 'infinite in the reference only', inf_candidate_only: 'infinite in the candidate only',
  zero_reference: 'zero in the reference only', zero_sign: 'zeros of opposite sign', flushed_to_zero: 'subnormal against zero',
};

const RANKS = [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['p999', 'p99.9'], ['max', 'max']];

// What a term means, where it stands.
const TERMS = [
  [/^ulp/, 'Unit in the last place: values of the dtype stepped over between reference and candidate; ~ is the upper edge of a bin'],
  [/introduce/, 'What the layer adds by itself, fed with the reference’s own inputs'],
  [/^(to truth|truth.ratio|ratio)/, 'The candidate’s error against a run in higher precision over the reference’s; below 1 the candidate is nearer'],
  [/nrmse/, 'Size of the difference over the size of the reference’s values; 1e-3 is a thousandth'],
  [/^max(_| )error|max \/ rms/, 'The largest single error over the root mean square of the reference’s values'],
  [/^exact/, 'Elements with equal bits'],
  [/^where\.share/, 'Share of elements that are outside the bound on single elements'],
  [/^relative/, 'Error of an element over the size of its reference'],
  [/^cosine/, 'Cosine of the angle between reference and candidate; 1 is the same direction'],
  [/mean.signed/, 'Mean of candidate minus reference: a bias where it is not 0'],
];

function termOf(name) {
  const found = TERMS.find(([pattern]) => pattern.test(name));
  return found ? make('abbr', {title: found[1]}, name) : name;
}

function figureList(entries) {
  return make('dl', {class: 'figures'}, ...entries.filter(([, value]) => value !== undefined && value !== '-')
    .map(([name, value]) => make('div', null, make('dt', null, termOf(name)), make('dd', null, value))));
}

function quantile(facts, name) {
  const value = facts[name];
  const isUlp = name.startsWith('ulp');
  const text = isUlp ? count(value) : short(value);
  const approximate = facts.approximate & (isUlp ? 1 : 2) && value > (isUlp ? 2 : 0) && !name.endsWith('max');
  return approximate ? `~${text}` : text;
}

function mainFigures(tap) {
  const facts = tap.facts;
  return figureList([
    ['nrmse', short(facts.nrmse)],
    ['introduced', tap.introduced ? short(tap.introduced.nrmse) : '-'],
    ['to truth', tap.truth ? short(tap.truth.ratio) : '-'],
    ['max error / rms', short(facts.max_error_over_rms)],
    ['exact', `${percent(facts.exact_share)} %`],
    ...RANKS.map(([rank, word]) => [`ulp ${word}`, quantile(facts, `ulp.${rank}`)]),
    ...RANKS.map(([rank, word]) => [`relative ${word}`, quantile(facts, `relative.${rank}`)]),
    ['largest error', short(facts['absolute.max'])],
    ['mean signed error', short(facts['absolute.mean_signed'])],
    ['cosine', String(facts.cosine)],
    ['rms of reference', short(facts.reference_rms)],
  ]);
}

function boundsTable(tap) {
  if (!tap.judged) return [make('p', {class: 'quiet'}, 'No bound judged it.')];
  const rows = tap.judged.bounds.map((bound) => {
    const value = measured(tap, bound.metric);
    const beyond = (edge) => value !== undefined && !(isLowerWorse(bound.metric) ? value >= edge : value <= edge);
    const state = value === undefined ? 'not measured' : beyond(bound.fail) ? 'beyond fail' : beyond(bound.warn) ? 'beyond warn' : 'inside';
    const tone = {'beyond fail': 'badge bad', 'beyond warn': 'badge warning', inside: 'badge good'}[state] || 'quiet';
    return [make('code', {title: bound.origin}, termOf(bound.metric)), value === undefined ? '-' : limit(value), limit(bound.warn),
      limit(bound.fail), make('span', {class: tone}, state)];
  });
  return [
    make('p', {class: 'quiet'}, 'Rule ', make('code', null, tap.judged.rule), ` for ${tap.judged.scope}. Reference noise or a truth may widen a bound; the verdict above counts. Terms are explained where the pointer rests on them`,
      tap.judged.bounds.some(({metric}) => metric.includes('where.share')) ? '; where.share is the share of elements outside the bound on single elements.' : '.'),
    tableOf([['metric', ''], ['here', 'number'], ['warn', 'number'], ['fail', 'number'], ['state', '']], rows)];
}

function worstTable(tap) {
  if (!tap.worst.length) return [];
  const rows = tap.worst.map(([index, reference, candidate, referenceBits, candidateBits]) =>
    [make('code', null, index), reference, candidate, make('code', null, `${referenceBits} ${candidateBits}`)]);
  return [make('h3', null, 'Worst elements'), make('p', {class: 'quiet'}, 'By distance in ulp, largest first; NaN or infinity on one side before all. A small value can be many ulp off by little.'),
    tableOf([['index', ''], ['reference', 'number'], ['candidate', 'number'], ['bits of both', '']], rows)];
}

function factsWords(facts) {
  const lines = facts.where ? [`Where: ${facts.where}`] : [];
  for (const [pattern, evidence] of facts.patterns) lines.push(`Pattern (${pattern}): ${evidence}`);
  return lines.length ? [make('ul', null, ...lines.map((line) => make('li', null, line)))] : [];
}

function classesTable(tap) {
  const rows = Object.entries(tap.facts.classes).map(([name, value]) =>
    [CLASS_WORDS[name] || name, String(value), `${percent(value / tap.elements)} %`]);
  return rows.length ? [make('h3', null, 'Classes of pairs'), tableOf([['class', ''], ['elements', 'number'], ['share', 'number']], rows)] : [];
}

function introducedPart(tap) {
  if (!tap.introduced) return [];
  const facts = tap.introduced;
  return [make('h3', null, 'What it introduces itself, fed with the reference’s inputs'),
    figureList([['nrmse', short(facts.nrmse)], ['max error / rms', short(facts.max_error_over_rms)], ['exact', `${percent(facts.exact_share)} %`],
      ['ulp p99', quantile(facts, 'ulp.p99')], ['ulp max', quantile(facts, 'ulp.max')], ['relative p99', quantile(facts, 'relative.p99')]]),
    ...factsWords(facts)];
}

function truthPart(tap) {
  if (!tap.truth) return [];
  const truth = tap.truth;
  return [make('h3', null, `Against the ${truth.dtype} truth`),
    figureList([['reference nrmse', short(truth.reference)], ['candidate nrmse', short(truth.candidate)], ['ratio', short(truth.ratio)],
      ['reference max / rms', short(truth.referenceMax)], ['candidate max / rms', short(truth.candidateMax)],
      ['reference introduces', truth.introduced === null ? '-' : short(truth.introduced)]])];
}

function noisePart(tap) {
  if (!tap.noise) return [];
  const {repeats, differing, figures} = tap.noise;
  const text = differing === 0 ? `The reference had the same bits in all of ${plural(repeats, 'repeat')}.` :
    `The reference itself differed in ${differing} of ${plural(repeats, 'repeat')}:`;
  return [make('h3', null, 'The reference against itself'), make('p', null, text),
    figureList([...figures].map(([name, value]) => [name, short(value)]))];
}

function shapeWords(tap) {
  const shape = tap.candidateShape === undefined ? tap.shape : `${tap.shape} in the reference, ${tap.candidateShape} in the candidate`;
  const dtype = tap.dtype === tap.candidateDtype ? tap.dtype : `${tap.dtype} in the reference, ${tap.candidateDtype} in the candidate`;
  const outcome = tap.outcome === 'compared' ? '' : `; ${tap.outcome.replace(/_/g, ' ')}`;
  return `Number ${tap.place + 1} in order of execution; ${dtype}, shape ${shape || 'scalar'}, ${plural(tap.elements, 'element')}${outcome}.`;
}

function showDetails(item, tap, step) {
  const taps = tapsOf(item);
  const neighbour = (by, text) => make('button', {type: 'button', disabled: !taps[tap.place + by], onclick: () => step(by)}, text);
  const parts = [
    make('div', {class: 'buttons'}, neighbour(-1, 'Layer before'), neighbour(1, 'Layer after')),
    make('h3', null, badge(tap.verdict), ' ', make('a', {href: linkOf(item, tap), class: 'tap'}, ...breakable(tap.name))),
    make('p', {class: 'quiet'}, shapeWords(tap))];
  if (tap.reasons.length) parts.push(make('ul', {class: 'reasons'}, ...tap.reasons.map((reason) => make('li', null, reason))));
  if (!tap.facts) {
    parts.push(make('p', null, 'Nothing could be measured here.'));
  } else {
    parts.push(...factsWords(tap.facts), mainFigures(tap), histogram(tap, 0), histogram(tap, 1),
      make('h3', null, 'Bounds that judged it'), ...boundsTable(tap), ...worstTable(tap), ...introducedPart(tap), ...truthPart(tap));
  }
  parts.push(...noisePart(tap));
  if (tap.facts) parts.push(...classesTable(tap));
  const details = byId('details');
  details.replaceChildren(...parts.filter((part) => part !== null));
}
