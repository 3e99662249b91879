// Puts the parts together: which case and which layer are chosen stands in the address, so that both can be linked to.
const state = {item: null, tap: null};

function labelsOf(place) {
  const labels = [];
  const blame = data.blame.filter(([item]) => item === place);
  const first = data.first && data.first[0] === place ? data.first[1] : -1;
  if (blame.length && blame[0][1] === first) {
    labels.push({place: first, text: 'makes the difference, and is the first outside its bounds', brief: 'look here'});
  } else {
    if (first >= 0) labels.push({place: first, text: 'first outside its bounds', brief: 'first outside'});
    if (blame.length) labels.push({place: blame[0][1], text: 'introduces most itself', brief: 'introduces most'});
  }
  return labels;
}

function growthWords(item) {
  const taps = tapsOf(item);
  const measuredTaps = taps.filter((tap) => tap.facts);
  if (!measuredTaps.length) return 'Nothing could be measured in this case.';
  const worst = measuredTaps.reduce((one, other) => (other.facts.nrmse > one.facts.nrmse ? other : one));
  const failing = taps.filter((tap) => tap.verdict.tone === 'bad').length;
  const suspect = taps.filter((tap) => tap.verdict.tone === 'warning').length;
  const growth = worst.facts.nrmse === 0 ? 'every measured layer is exact' : `the largest error is nrmse ${short(worst.facts.nrmse)}, at ${worst.name}`;
  return `Case ${item.name}: ${plural(taps.length, 'layer')}, ${failing === 0 ? 'none fails' : `${failing} ${failing === 1 ? 'fails' : 'fail'}`}${suspect ? `, ${suspect} suspect` : ''}; ${growth}. Each decade upwards is ten times the error.`;
}

// Where a case is looked at first: what is blamed, else the first that fails, is suspect, or is furthest off.
function startOf(place) {
  const inCase = (found) => found && found[0] === place;
  const found = [...data.blame, data.first].find(inCase);
  if (found) return found[1];
  const taps = tapsOf(CASES[place]);
  const wrong = taps.find((tap) => tap.verdict.tone === 'bad') || taps.find((tap) => tap.verdict.tone === 'warning');
  if (wrong) return wrong.place;
  const furthest = taps.filter((tap) => tap.facts && tap.facts.nrmse > 0)
    .reduce((one, other) => (one && one.facts.nrmse >= other.facts.nrmse ? one : other), null);
  return furthest ? furthest.place : 0;
}

function choose(tap) {
  if (!tap) return;
  const link = linkOf(state.item, tap);
  if (location.hash !== link) history.replaceState(null, '', link);
  select(state.item, tap);
}

function select(item, tap) {
  const place = CASES.indexOf(item);
  const changed = state.item !== item;
  state.item = item;
  state.tap = tap;
  if (changed) {
    byId('case').value = String(place);
    byId('growth-words').textContent = growthWords(item);
    table.show(item, tap ? tap.place : -1);
  } else if (tap) {
    table.choose(tap.place);
  }
  chart.show(tapsOf(item), tap ? tap.place : 0, labelsOf(place));
  if (tap) showDetails(item, tap, (by) => choose(tapsOf(item)[tap.place + by]));
  else byId('details').replaceChildren(make('p', null, 'This case has no layers.'));
}

// A choice leads to the head of the details where that is not in sight already.
function lookAtDetails() {
  const top = byId('details').getBoundingClientRect().top;
  if (top < 0 || top > innerHeight / 2) byId('details').scrollIntoView({block: 'start'});
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return text;
  }
}

// "#case/tap", where the tap may have slashes of its own; false for a link to a part of the page.
function follow(hash) {
  const text = hash.slice(1);
  if (!text || document.getElementById(text)) return false;
  const slash = text.indexOf('/');
  const item = CASES.find(({name}) => name === decoded(slash < 0 ? text : text.slice(0, slash)));
  if (!item) return false;
  const name = slash < 0 ? '' : decoded(text.slice(slash + 1));
  const tap = tapsOf(item).find((one) => one.name === name) || tapsOf(item)[startOf(CASES.indexOf(item))];
  select(item, tap);
  return true;
}

function startCases() {
  const selector = byId('case');
  CASES.forEach(({name}, place) => selector.append(make('option', {value: place}, name)));
  selector.disabled = CASES.length < 2;
  selector.addEventListener('change', () => {
    const item = CASES[Number(selector.value)];
    const same = state.tap && tapsOf(item).find((one) => one.name === state.tap.name);
    const tap = same || tapsOf(item)[startOf(Number(selector.value))];
    if (tap) history.replaceState(null, '', linkOf(item, tap));
    select(item, tap);
  });
  byId('zoom').addEventListener('change', (event) => {
    chart.zoom = Number(event.target.value);
    chart.render();
  });
}

document.documentElement.classList.add('scripted');
for (const details of document.querySelectorAll('details.folded')) details.open = false;
startTheme();
const chart = new Chart(byId('chart'), choose);
const table = new Table((tap) => {
  choose(tap);
  lookAtDetails();
});
byId('legend').append(...chartLegend());
startCases();
if (CASES.length === 0) {
  byId('section-growth').hidden = true;
  byId('section-taps').hidden = true;
} else if (!follow(location.hash)) {
  const place = (data.blame[0] || data.first || data.worst || [0])[0];
  select(CASES[place], tapsOf(CASES[place])[startOf(place)]);
}
window.addEventListener('hashchange', () => {
  if (follow(location.hash)) lookAtDetails();
});
window.addEventListener('beforeprint', () => table.grow(1000));
