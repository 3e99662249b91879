// Reads the page's data and shows the overview or one series; the theme can be chosen.
function showOverview(overview) {
  const sections = overview.series.map((series) => element("section", {},
    element("h2", {}, element("a", { href: encodeURIComponent(series.file) }, series.name)),
    element("p", { class: MARKS[series.nights.at(-1).mark][0] === "failed" ? "bad" : null },
      `${day(series.nights.at(-1).t)}: ${series.nights.at(-1).words}`),
    strip(series, null), element("p", { class: "quiet" }, series.counts)));
  document.getElementById("main").replaceChildren(...sections, element("section", {}, legend()));
}

const THEMES = [["", "Theme: as the system"], ["light", "Theme: light"], ["dark", "Theme: dark"]];
let theme = 0;
document.getElementById("theme").addEventListener("click", (event) => {
  theme = (theme + 1) % THEMES.length;
  const [name, words] = THEMES[theme];
  if (name) document.documentElement.setAttribute("data-theme", name);
  else document.documentElement.removeAttribute("data-theme");
  event.target.textContent = words;
});

const data = JSON.parse(document.getElementById("data").textContent);
if (data.kind === "overview") showOverview(data);
else showSeries(data);
