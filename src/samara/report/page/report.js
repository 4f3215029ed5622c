"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const narrow = window.matchMedia("(max-width: 640px)");
  const themed = (night) => {
    const [text, grid] = night ? ["#c6ced7", "#2c333a"] : ["#47525e", "#e6eaef"];
    return { text, grid };
  };
  const layoutOf = (layout, night) => {
    const { text, grid } = themed(night);
    const axis = (own) => ({
      gridcolor: grid, linecolor: grid, zerolinecolor: grid, zeroline: false, automargin: true,
      ...own, title: { standoff: 10, ...(own && own.title) },
    });
    const made = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
      margin: { l: 56, r: 16, t: 12, b: 48 },
      hovermode: "closest", dragmode: narrow.matches ? false : "zoom",
      legend: { orientation: "h", traceorder: "normal", x: 0, y: 1.02, yanchor: "bottom" },
      ...layout,
      font: { family: getComputedStyle(document.body).fontFamily, size: 12.5, color: text },
    };
    for (const name of ["xaxis", "yaxis", "xaxis2", "yaxis2"]) {
      if (layout[name] || !name.endsWith("2")) made[name] = axis(layout[name]);
    }
    return made;
  };
  const draw = (night) => Promise.all(Object.entries(figures).map(([name, figure]) =>
    Plotly.react(document.getElementById("chart-" + name), figure.data, layoutOf(figure.layout, night),
      { responsive: true, displayModeBar: false })));
  const done = draw(dark.matches);
  done.then(() => { document.documentElement.dataset.drawn = Object.keys(figures).length; });
  dark.addEventListener("change", () => draw(dark.matches));
  // Charts keep the width that they were drawn with: for paper they are drawn anew, narrow and on white.
  window.addEventListener("beforeprint", () => {
    document.documentElement.classList.add("printing");
    draw(false);
  });
  window.addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    draw(dark.matches);
  });
})();
