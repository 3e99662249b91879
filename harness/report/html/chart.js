// The error of every layer in execution order: free-running as a line, introduced as needles, one rounding of the dtype and
// the fail bound as lines to hold it against, the verdict as the mark's shape and colour. Values span decades, so the
// axis is logarithmic; exact zeros lie on a rail below it and what has no finite figure on one above.
const SHAPES = {
  good: (x, y) => `M${x - 2} ${y}a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z`,
  warning: (x, y) => `M${x} ${y - 5}l5 9h-10z`,
  bad: (x, y) => `M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z`,
};

function legendEntry(shape, text) {
  return make('span', null, draw('svg', {viewBox: '0 0 26 12', 'aria-hidden': 'true'}, shape), text);
}

function decade(value) {
  return Math.log10(value);
}

function isPositive(value) {
  return Number.isFinite(value) && value > 0;
}

class Chart {
  constructor(holder, onChoose) {
    this.holder = holder;
    this.svg = holder.querySelector('svg');
    this.tip = byId('chart-tip');
    this.onChoose = onChoose;
    this.taps = [];
    this.labels = [];
    this.chosen = 0;
    this.zoom = 0;
    this.svg.addEventListener('pointermove', (event) => this.say(this.tapAt(event)));
    this.svg.addEventListener('pointerleave', () => this.say(this.taps[this.chosen]));
    this.svg.addEventListener('click', (event) => this.onChoose(this.tapAt(event)));
    holder.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.render()).observe(holder);
  }

  key(event) {
    const page = Math.max(1, Math.round((this.last - this.first) / 10));
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity}[event.key];
    if (step === undefined || !this.taps.length) return;
    event.preventDefault();
    this.onChoose(this.taps[Math.min(this.taps.length - 1, Math.max(0, this.chosen + step))]);
  }

  tapAt(event) {
    const box = this.svg.getBoundingClientRect();
    const share = (event.clientX - box.left - this.left) / (this.width - this.left - this.right);
    const place = Math.round(this.first + share * (this.last - this.first));
    return this.taps[Math.min(this.last, Math.max(this.first, place))];
  }

  say(tap) {
    if (!tap) return;
    const parts = [`${tap.name} (${tap.place + 1} of ${this.taps.length}): ${tap.verdict.name}`];
    if (tap.facts) parts.push(`nrmse ${short(tap.facts.nrmse)}`);
    if (tap.introduced) parts.push(`introduces ${short(tap.introduced.nrmse)} itself`);
    if (tap.truth) parts.push(`${short(tap.truth.ratio)} times as far from the truth as the reference`);
    if (tap.noise && tap.noise.figures.has('nrmse')) parts.push(`noise ${short(tap.noise.figures.get('nrmse'))}`);
    this.tip.textContent = parts.join(', ');
  }

  show(taps, chosen, labels) {
    this.taps = taps;
    this.chosen = chosen;
    this.labels = labels;
    this.render();
    this.say(taps[chosen]);
  }

  range() {
    this.first = 0;
    this.last = Math.max(0, this.taps.length - 1);
    if (this.zoom > 0 && this.taps.length > this.zoom) {
      this.first = Math.min(Math.max(0, this.chosen - Math.floor(this.zoom / 2)), this.taps.length - this.zoom);
      this.last = this.first + this.zoom - 1;
    }
    this.seen = this.taps.slice(this.first, this.last + 1);
    let low = Infinity;
    let high = -Infinity;
    const take = (value) => {
      if (!isPositive(value)) return;
      low = Math.min(low, value);
      high = Math.max(high, value);
    };
    for (const tap of this.seen) {
      take(tap.roundoff);
      if (tap.facts) take(tap.facts.nrmse);
      if (tap.introduced) take(tap.introduced.nrmse);
      if (tap.noise) take(tap.noise.figures.get('nrmse'));
      take(tap.failNrmse);
      take(tap.warnNrmse);
    }
    if (low > high) { low = 1e-8; high = 1; }
    this.low = Math.floor(decade(Math.max(low, high * 1e-16)) - 0.2);
    this.high = Math.ceil(decade(high) + 0.2);
  }

  x(place) {
    const span = this.last - this.first;
    const share = span === 0 ? 0.5 : (place - this.first) / span;
    return Math.round(10 * (this.left + share * (this.width - this.left - this.right))) / 10;
  }

  y(value) {
    if (value === 0) return this.zeroRail;
    if (!Number.isFinite(value)) return this.topRail;
    const share = Math.max(0, (decade(value) - this.low) / (this.high - this.low));
    return Math.round(10 * (this.bottom - share * (this.bottom - this.top))) / 10;
  }

  // A path through the values of the taps that have one; `step` holds a value until the next.
  path(valueOf, step) {
    let text = '';
    let open = false;
    let before = 0;
    for (const tap of this.seen) {
      const value = valueOf(tap);
      if (value === undefined || value === null) { open = false; continue; }
      const x = this.x(tap.place);
      const y = this.y(value);
      if (!open) text += `M${x} ${y}`;
      else if (step && y !== before) text += `H${x}V${y}`;
      else text += step ? `H${x}` : `L${x} ${y}`;
      before = y;
      open = true;
    }
    return text;
  }

  marks() {
    const paths = {good: '', warning: '', bad: ''};
    for (const tap of this.seen) {
      const y = tap.facts ? this.y(tap.facts.nrmse) : tap.verdict.tone === 'good' ? this.zeroRail : this.topRail;
      if (tap.verdict.tone === 'good' && this.seen.length > 1200) continue;
      paths[tap.verdict.tone] += SHAPES[tap.verdict.tone](this.x(tap.place), y);
    }
    return paths;
  }

  needles() {
    let text = '';
    for (const tap of this.seen) {
      if (tap.introduced && tap.introduced.nrmse !== 0)
        text += `M${this.x(tap.place)} ${this.bottom}V${this.y(tap.introduced.nrmse)}`;
    }
    return text;
  }

  grid(parts) {
    const step = Math.max(1, Math.ceil((this.high - this.low) / (this.bottom < 220 ? 5 : 9)));
    for (let power = this.low; power <= this.high; power += step) {
      const y = this.y(10 ** power);
      parts.push(draw('path', {class: 'grid', d: `M${this.left} ${y}H${this.width - this.right}`}));
      parts.push(draw('text', {x: this.left - 8, y: y + 4, 'text-anchor': 'end'}, `1e${power}`));
    }
    parts.push(draw('path', {class: 'axis', d: `M${this.left} ${this.zeroRail}H${this.width - this.right}`}));
    parts.push(draw('text', {x: this.left - 8, y: this.zeroRail + 4, 'text-anchor': 'end'}, 'exact'));
    const below = (x, anchor, text) => parts.push(draw('text', {x, y: this.zeroRail + 18, 'text-anchor': anchor}, text));
    below(this.left, 'start', `layer ${this.first + 1}`);
    below((this.left + this.width - this.right) / 2, 'middle', 'order of execution');
    below(this.width - this.right, 'end', `layer ${this.last + 1}`);
  }

  annotations(parts) {
    let row = 0;
    for (const {place, text, brief} of this.labels) {
      if (place < this.first || place > this.last) continue;
      const x = this.x(place);
      const y = 14 + 15 * row;
      const right = x > (this.width + this.left) / 2;
      parts.push(draw('path', {class: 'chosen', d: `M${x} ${y - 10}V${this.zeroRail}`, 'stroke-dasharray': '1 3'}));
      parts.push(draw('text', {class: 'strong', x: right ? x - 5 : x + 5, y, 'text-anchor': right ? 'end' : 'start'},
        this.width < 760 ? brief : text));
      row += 1;
    }
  }

  truthPanel(parts) {
    if (!data.truth) return;
    const top = this.zeroRail + 34;
    const bottom = this.height - 8;
    const largest = Math.max(1, ...this.seen.map((tap) =>
      tap.truth && isPositive(tap.truth.ratio) ? Math.abs(decade(tap.truth.ratio)) : 0));
    const y = (ratio) => {
      if (!isPositive(ratio)) return ratio === 0 ? bottom : top;
      return (top + bottom) / 2 - decade(ratio) / largest * (bottom - top) / 2;
    };
    const middle = (top + bottom) / 2;
    parts.push(draw('path', {class: 'axis', d: `M${this.left} ${middle}H${this.width - this.right}`}));
    let text = '';
    for (const tap of this.seen) {
      if (tap.truth) text += `M${this.x(tap.place)} ${middle}V${Math.round(10 * y(tap.truth.ratio)) / 10}`;
    }
    parts.push(draw('path', {class: 'ratio', d: text}));
    const say = (x, height, anchor, words) => parts.push(draw('text', {x, y: height, 'text-anchor': anchor}, words));
    const factor = largest > 1 ? count(Math.round(10 ** largest)) : '10';
    say(this.left - 8, middle + 4, 'end', 'to truth 1');
    say(this.left - 8, top + 6, 'end', `${factor} times`);
    say(this.left - 8, bottom, 'end', `1/${factor}`);
    say(this.left + 6, top + 6, 'start', 'candidate further from the truth');
    say(this.left + 6, bottom, 'start', 'reference further from the truth');
  }

  render() {
    this.width = Math.max(260, this.holder.clientWidth);
    this.height = this.svg.clientHeight || 340;
    this.left = 74;
    this.right = 14;
    this.top = 28 + 15 * this.labels.length;
    this.topRail = this.top - 10;
    this.zeroRail = this.height - 24 - (data.truth ? 74 : 0);
    this.bottom = this.zeroRail - 20;
    this.range();
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
    const parts = [];
    this.grid(parts);
    const add = (name, d) => { if (d) parts.push(draw('path', {class: name, d})); };
    add('roundoff', this.path((tap) => (tap.roundoff ? tap.roundoff : undefined), true));
    add('bound', this.path((tap) => (isPositive(tap.failNrmse) ? tap.failNrmse : undefined), true));
    add('warn-bound', this.path((tap) => (isPositive(tap.warnNrmse) && tap.warnNrmse !== tap.failNrmse ? tap.warnNrmse : undefined), true));
    add('noise', this.path((tap) => (tap.noise ? tap.noise.figures.get('nrmse') || 0 : undefined), false));
    add('introduced', this.needles());
    add('free', this.path((tap) => (tap.facts ? tap.facts.nrmse : undefined), false));
    for (const [tone, d] of Object.entries(this.marks())) add(`mark ${tone}`, d);
    this.annotations(parts);
    this.truthPanel(parts);
    if (this.taps.length) {
      const x = this.x(this.chosen);
      parts.push(draw('path', {class: 'chosen', d: `M${x} ${this.top}V${this.zeroRail}`}));
    }
    this.svg.replaceChildren(...parts);
  }
}

function chartLegend() {
  const line = (name) => draw('path', {class: name, d: 'M1 6H25'});
  const mark = (tone) => draw('path', {class: `mark ${tone}`, d: SHAPES[tone](13, 6)});
  const entries = [legendEntry(line('free'), 'off from the reference (nrmse)')];
  if (data.attributed) entries.push(legendEntry(draw('path', {class: 'introduced', d: 'M13 11V1'}), 'introduced by the layer itself (no bar: nothing, or not measured)'));
  entries.push(legendEntry(line('roundoff'), 'one rounding of the dtype'));
  if (BOUNDS.some(({bounds}) => bounds.some(({metric}) => metric === 'nrmse')))
    entries.push(legendEntry(line('bound'), 'fail bound of nrmse'), legendEntry(line('warn-bound'), 'warn bound of nrmse'));
  if (data.noise) entries.push(legendEntry(line('noise'), 'reference against itself'));
  entries.push(legendEntry(mark('good'), 'passes'), legendEntry(mark('warning'), 'suspect: beyond a warn bound, of nrmse or another figure'),
    legendEntry(mark('bad'), 'fails'));
  return entries;
}
