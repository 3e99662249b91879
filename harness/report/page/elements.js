// Elements of a page, for every page of parity. Text is always set as text, never read as markup.
const SVG = new DOMParser().parseFromString('<svg></svg>', 'text/html').querySelector('svg').namespaceURI;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null));
  return node;
}

function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}
