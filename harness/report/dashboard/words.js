// Figures, times and links of the dashboard.
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

// A link that a browser neither runs nor follows to where it does not say: a path, or an http, https or file address.
// Browsers leave out spaces and control characters, and take "//host" for an address on another host.
function safeLink(link) {
  if (/[\u0000-\u001f\u007f]|^ | $|^[/\\]{2}/.test(link)) return null;
  return /^[^/?#]*:/.test(link) && !/^(https?|file):/i.test(link) ? null : link;
}
