// Reads the page's data and shows the overview or one series; the theme can be chosen.
function showOverview(overview) {
  const sections = overview.series.map((series) => make("section", {},
    make("h2", {}, make("a", { href: encodeURIComponent(series.file) }, series.name)),
    make("p", { class: MARKS[series.nights.at(-1).mark][0] === "failed" ? "bad" : null },
      `${day(series.nights.at(-1).t)}: ${series.nights.at(-1).words}`),
    strip(series, null), make("p", { class: "quiet" }, series.counts)));
  document.getElementById("main").replaceChildren(...sections, make("section", {}, legend()));
}

startTheme();
const data = JSON.parse(document.getElementById("data").textContent);
if (data.kind === "overview") showOverview(data);
else showSeries(data);
