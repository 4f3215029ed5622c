"use strict";
(() => {
  const points = JSON.parse(document.getElementById("points").textContent);
  const byId = (id) => document.getElementById(id);
  const unique = (values) => [...new Set(values)];
  const methods = unique(points.map((point) => point.method));
  const ours = new Set(points.filter((point) => point.ours).map((point) => point.method));
  const blues = ["#b9d4f3", "#93bdec", "#6ea6e8", "#3f7cc4", "#2f66a8", "#1f4e8c", "#123463"];
  const others = ["#d1495b", "#e08e45", "#c9a227", "#3a9a7c", "#7a5195", "#8a94a3", "#a8577e", "#5d8a3a",
    "#b5651d", "#c77dd0", "#4bb5c1", "#80624d", "#e377c2", "#9c9e3f"];
  const colour = {};
  let [mine, theirs] = [0, 0];
  for (const method of methods) {
    colour[method] = ours.has(method) ? blues[mine++ % blues.length] : others[theirs++ % others.length];
  }
  const lowest = {};
  for (const { set, error } of points) lowest[set] = Math.min(error, lowest[set] ?? Infinity);

  const option = (select, value, text) => {
    const made = document.createElement("option");
    made.value = value;
    made.textContent = text;
    select.append(made);
  };
  option(byId("task"), "", "all");
  unique(points.map((point) => point.task)).forEach((task) => option(byId("task"), task, task));
  const listSets = () => {
    const [task, kept] = [byId("task").value, byId("set").value];
    const there = unique(points.filter((point) => !task || point.task === task).map((point) => point.set)).sort();
    byId("set").replaceChildren();
    option(byId("set"), "", `all ${there.length}`);
    there.forEach((set) => option(byId("set"), set, set));
    byId("set").value = there.includes(kept) ? kept : "";
  };
  const boxes = methods.map((method) => {
    const [label, box, dot] = ["label", "input", "span"].map((tag) => document.createElement(tag));
    Object.assign(box, { type: "checkbox", checked: true, value: method });
    dot.className = "dot";
    dot.style.background = colour[method];
    label.append(box, dot, method);
    byId("methods").append(label);
    return box;
  });

  const shown = () => {
    const [task, set] = [byId("task").value, byId("set").value];
    const checked = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    return points.filter((point) => checked.has(point.method) && (!task || point.task === task)
      && (!set || point.set === set));
  };
  // With all sets a few linear models err by dozens of deviations: the charts end where one in forty lies above.
  const height = (point) => point.error - lowest[point.set];
  const top = (visible) => visible.map(height).sort((a, b) => a - b)[Math.floor(0.975 * visible.length)] ?? 0;
  const figure = (value) => (value === null ? "–" : value.toPrecision(3));
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const traces = (visible, across, single) => methods.filter((method) =>
    visible.some((point) => point.method === method)).map((method) => {
    const own = visible.filter((point) => point.method === method);
    return {
      type: "scatter", mode: "markers", name: plain(method), x: own.map((point) => point[across]),
      y: own.map((point) => (single ? point.error : height(point))),
      error_y: { type: "data", array: own.map((point) => point.deviation), visible: single, thickness: 1 },
      text: own.map((point) => `${plain(point.method)} on ${plain(point.set)}<br>error ${figure(point.error)}`
        + ` ± ${figure(point.deviation)}<br>fit ${figure(point.fit)} s, predict ${figure(point.predict)} s`
        + `<br>peak ${figure(point.peak)} MB`),
      hoverinfo: "text", showlegend: false,
      marker: { color: colour[method], size: single ? 11 : 7, symbol: ours.has(method) ? "circle" : "diamond" },
    };
  });
  const layout = (across, single, measure, highest) => {
    const style = getComputedStyle(document.documentElement);
    const [text, grid] = [style.getPropertyValue("--text"), style.getPropertyValue("--line")];
    const axis = { gridcolor: grid, zerolinecolor: grid, automargin: true };
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest",
      margin: { l: 60, r: 10, t: 20, b: 50 }, font: { color: text, size: 12.5 },
      xaxis: { ...axis, type: "log", title: { text: across } },
      yaxis: {
        ...axis, title: { text: single ? measure : "error above the lowest of the set" },
        ...(single || !highest ? { autorange: true } : { range: [-0.03 * highest, 1.03 * highest] }),
      },
    };
  };
  const cells = (point) => [point.method, point.set, figure(point.error), figure(point.deviation),
    figure(point.fit), figure(point.predict), figure(point.peak)];
  const draw = () => {
    const visible = shown();
    const single = byId("set").value !== "";
    const measure = visible.length && visible[0].task === "regression" ? "RMSE, in deviations of the target"
      : "share of wrong classes";
    const time = byId("time").value;
    const config = { responsive: true, displayModeBar: false, doubleClick: "autosize" };
    const highest = top(visible);
    const chart = (id, across, text) => Plotly.react(id, traces(visible, across, single),
      layout(text, single, measure, highest), config);
    const done = Promise.all([
      chart("chart-time", time, `seconds to ${time}`),
      chart("chart-memory", "peak", "peak memory of the fit, MB"),
    ]);
    const rows = [...visible].sort((a, b) => a.error - b.error).slice(0, 200).map((point) => {
      const row = document.createElement("tr");
      row.append(...cells(point).map((value) => Object.assign(document.createElement("td"), { textContent: value })));
      return row;
    });
    byId("table").tBodies[0].replaceChildren(...rows);
    const hidden = single ? 0 : visible.filter((point) => highest && height(point) > 1.03 * highest).length;
    byId("note").textContent = `${visible.length} results. Circles are samara, diamonds its peers.`
      + ` Lower left is better.${hidden ? ` ${hidden} lie above the charts: a double click shows all.` : ""}`;
    done.then(() => { document.documentElement.dataset.drawn = visible.length; });
  };

  // The part of the address after # chooses: #task=regression&set=kin8nm&methods=hpelm,MLP&time=predict
  const asked = new URLSearchParams(location.hash.slice(1));
  byId("task").value = asked.get("task") ?? "";
  listSets();
  byId("set").value = asked.get("set") ?? "";
  byId("time").value = asked.get("time") ?? "fit";
  if (asked.has("methods")) {
    const named = asked.get("methods").split(",");
    boxes.forEach((box) => { box.checked = named.includes(box.value); });
  }
  byId("filters").addEventListener("change", (event) => {
    if (event.target.id === "task") listSets();
    draw();
  });
  const check = (checked) => () => { boxes.forEach((box) => { box.checked = checked; }); draw(); };
  byId("all").addEventListener("click", check(true));
  byId("none").addEventListener("click", check(false));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
