// All layers of a case: sorted, searched, filtered by verdict. Rows are made as they come into view, so that thousands stay quick.
const ROWS_AT_ONCE = 200;

const VERDICT_WORDS = {
  identical: 'The same bits', within: 'Inside its bounds', closer: 'Outside its bounds, but no further from the truth than the reference is',
  suspect: 'Beyond a warn bound', diverged: 'Beyond a fail bound', non_finite: 'NaN or infinity on one side alone',
  shape_differs: 'Of another shape', dtype_differs: 'Of another dtype', missing: 'In the reference alone',
  additional: 'In the candidate alone', untrusted: 'Proves nothing', untested: 'Not compared',
};

function figure(tap, name) {
  return tap.facts ? tap.facts[name] : undefined;
}

const COLUMNS = [
  {key: 'order', title: '#', kind: 'number', value: (tap) => tap.place, text: (tap) => String(tap.place + 1)},
  {key: 'name', title: 'layer', value: (tap) => tap.search},
  {key: 'verdict', title: 'verdict', value: (tap) => tap.order, worstFirst: true},
  {key: 'nrmse', title: 'nrmse', kind: 'number', value: (tap) => figure(tap, 'nrmse'), text: (tap) => short(figure(tap, 'nrmse')), worstFirst: true},
  {key: 'introduced', title: 'introduced', kind: 'number', when: data.attributed, value: (tap) => (tap.introduced ? tap.introduced.nrmse : undefined),
    text: (tap) => (tap.introduced ? short(tap.introduced.nrmse) : '-'), worstFirst: true},
  {key: 'truth', title: 'to truth', kind: 'number', when: data.truth, value: (tap) => (tap.truth ? tap.truth.ratio : undefined),
    text: (tap) => (tap.truth ? short(tap.truth.ratio) : '-'), worstFirst: true},
  {key: 'ulp99', title: 'ulp p99', kind: 'number', wide: true, value: (tap) => figure(tap, 'ulp.p99'),
    text: (tap) => (tap.facts ? quantile(tap.facts, 'ulp.p99') : '-'), worstFirst: true},
  {key: 'ulpmax', title: 'ulp max', kind: 'number', wide: true, value: (tap) => figure(tap, 'ulp.max'),
    text: (tap) => count(figure(tap, 'ulp.max')), worstFirst: true},
  {key: 'exact', title: 'exact %', kind: 'number', wide: true, roomy: true, value: (tap) => figure(tap, 'exact_share'), text: (tap) => percent(figure(tap, 'exact_share'))},
  {key: 'shape', title: 'dtype, shape', wide: true, roomy: true, value: (tap) => `${tap.dtype} ${tap.shape}`,
    text: (tap) => `${tap.dtype === tap.candidateDtype ? tap.dtype : `${tap.dtype}/${tap.candidateDtype}`} ${tap.shape}`},
].filter((column) => column.when !== false);

// Of so many columns some would make names wrap; the layer's own pane shows the figures of those as well.
const CROWDED = 9;

function classOf(column) {
  return [column.kind, column.wide && 'wide', column.roomy && 'roomy'].filter(Boolean).join(' ') || null;
}

// What was not measured goes behind everything; NaN counts as the largest.
function comparedBy(column, descending) {
  const sign = descending ? -1 : 1;
  const rank = (value) => (value === undefined ? 2 : 1);
  return (one, other) => {
    let a = column.value(one);
    let b = column.value(other);
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    if (Number.isNaN(a)) a = Infinity;
    if (Number.isNaN(b)) b = Infinity;
    if (a === b || a === undefined) return one.place - other.place;
    return (a < b ? -1 : 1) * sign;
  };
}

class Table {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.table = byId('taps');
    this.body = this.table.tBodies[0];
    this.box = this.table.parentElement;
    this.only = null;
    this.words = [];
    this.sort = {column: COLUMNS[0], descending: false};
    this.rows = new Map();
    this.head();
    byId('search').addEventListener('input', (event) => {
      this.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      this.update();
    });
    byId('more').addEventListener('click', () => this.grow());
    this.body.addEventListener('click', (event) => this.click(event));
    this.body.addEventListener('keydown', (event) => this.key(event));
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.grow();
    }, {root: this.box, rootMargin: '600px'}).observe(byId('more'));
  }

  head() {
    const cells = COLUMNS.map((column) => make('th', {scope: 'col', class: classOf(column)},
      make('button', {type: 'button', onclick: () => this.sortBy(column)}, column.title)));
    this.cells = cells;
    this.table.classList.toggle('crowded', COLUMNS.length >= CROWDED);
    this.table.tHead.replaceChildren(make('tr', null, ...cells));
    this.showSort();
  }

  showSort() {
    COLUMNS.forEach((column, place) => {
      const chosen = this.sort.column === column;
      this.cells[place].setAttribute('aria-sort', !chosen ? 'none' : this.sort.descending ? 'descending' : 'ascending');
      this.cells[place].firstChild.textContent = column.title + (chosen ? (this.sort.descending ? ' ▼' : ' ▲') : '');
    });
  }

  sortBy(column) {
    const same = this.sort.column === column;
    this.sort = {column, descending: same ? !this.sort.descending : Boolean(column.worstFirst)};
    this.showSort();
    this.update();
  }

  filters() {
    const counts = new Map();
    for (const tap of this.taps) counts.set(tap.verdict, (counts.get(tap.verdict) || 0) + 1);
    const buttons = VERDICTS.filter((verdict) => counts.has(verdict)).map((verdict) => make('button', {
      type: 'button', class: verdict.tone, 'aria-pressed': String(this.only === verdict),
      title: `${VERDICT_WORDS[verdict.name]}. A click shows these layers alone, another all again.`,
      onclick: () => this.toggle(verdict)}, `${verdict.name} ${counts.get(verdict)}`));
    this.buttons = new Map(VERDICTS.filter((verdict) => counts.has(verdict)).map((verdict, place) => [verdict, buttons[place]]));
    byId('filters').replaceChildren(...buttons);
  }

  toggle(verdict) {
    this.only = this.only === verdict ? null : verdict;
    for (const [one, button] of this.buttons) button.setAttribute('aria-pressed', String(one === this.only));
    this.update();
  }

  show(item, chosen) {
    this.item = item;
    this.taps = tapsOf(item);
    this.chosen = chosen;
    if (!this.taps.some((tap) => tap.verdict === this.only)) this.only = null;
    this.filters();
    this.update();
    this.reveal();
  }

  update() {
    this.list = this.taps.filter((tap) => (this.only === null || tap.verdict === this.only) && this.words.every((word) => tap.search.includes(word)));
    this.list.sort(comparedBy(this.sort.column, this.sort.descending));
    this.rows.clear();
    this.body.replaceChildren();
    this.box.scrollTop = 0;
    this.made = 0;
    this.grow();
    const all = this.taps.length;
    byId('shown').textContent = this.list.length === all ? `${plural(all, 'layer')}` : `${this.list.length} of ${plural(all, 'layer')}`;
  }

  grow(upTo) {
    const end = Math.min(this.list.length, Math.max(this.made + ROWS_AT_ONCE, upTo || 0));
    const rows = this.list.slice(this.made, end).map((tap) => this.row(tap));
    this.made = end;
    this.body.append(...rows);
    byId('more').hidden = end >= this.list.length;
  }

  row(tap) {
    const cells = COLUMNS.map((column) => {
      if (column.key === 'name') return make('td', {class: 'name'}, make('a', {class: 'tap', href: linkOf(this.item, tap)}, ...breakable(tap.name)));
      if (column.key === 'verdict') return make('td', null, badge(tap.verdict));
      return make('td', {class: classOf(column)}, column.text(tap));
    });
    const row = make('tr', {'data-place': tap.place, 'aria-current': tap.place === this.chosen ? 'true' : null}, ...cells);
    this.rows.set(tap.place, row);
    return row;
  }

  choose(place) {
    const before = this.rows.get(this.chosen);
    if (before) before.removeAttribute('aria-current');
    this.chosen = place;
    const row = this.rows.get(place);
    if (row) row.setAttribute('aria-current', 'true');
    this.reveal();
  }

  // Scrolls the table alone, and only where the chosen row is out of sight: the page stays where it is.
  reveal() {
    const at = this.list.findIndex((tap) => tap.place === this.chosen);
    if (at < 0) return;
    if (at >= this.made) this.grow(at + ROWS_AT_ONCE);
    const row = this.rows.get(this.chosen);
    const head = this.table.tHead.offsetHeight;
    const above = row.offsetTop - head < this.box.scrollTop;
    if (above || row.offsetTop + row.offsetHeight > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = this.topOfRowAt(row.offsetTop - this.box.clientHeight / 3) - head;
  }

  // So that no row is half behind the head of the table.
  topOfRowAt(height) {
    const rows = [...this.body.rows];
    const found = rows.find((row) => row.offsetTop + row.offsetHeight > height);
    return found ? found.offsetTop : 0;
  }

  click(event) {
    const row = event.target.closest('tr');
    if (!row || event.target.closest('a')) return;
    this.onChoose(this.taps[Number(row.dataset.place)]);
  }

  // Up and down go from name to name.
  key(event) {
    const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
    const row = event.target.closest('tr');
    if (!step || !row) return;
    event.preventDefault();
    const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (next) next.querySelector('a').focus();
  }
}
