// Makes elements. Text goes in as text alone, so that no name from a model file becomes markup.
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function number(value) {
  if (value === null || value === undefined) return "-";
  if (value === "inf") return "inf";
  if (value === 0 || (Math.abs(value) >= 0.01 && Math.abs(value) < 1e5)) return String(Number(value.toPrecision(3)));
  return value.toExponential(1);
}

function day(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

function minute(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
}

// A link that a browser does not run: a path or an http, https or file address.
function safeLink(link) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) && !/^(https?|file):/i.test(link)) return null;
  return link;
}
