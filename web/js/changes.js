// SPDX-License-Identifier: Apache-2.0
// What changed? Two runs of a program: figures, speedups, and the sites whose share of the critical
// path moved most.
import { scaleLinear, scaleLog } from "d3-scale";
import { curveMonotoneX, line } from "d3-shape";
import { axis, chart, mark, spread, text } from "./chart.js";
import { card, empty, h, s, scrollable } from "./dom.js";
import { clipped, count, digits, percent, time, times } from "./format.js";
import { Model } from "./model.js";

/** @typedef {{name: string, base: number, now: number, color: string}} Pair */

/** @param {HTMLElement} section @param {Model} model */
export function changes(section, model) {
  const base = new Model(model.base ?? {}, null);
  section.append(h("div", { class: "columns even" }, figures(base, model), curves(base, model)), bySite(base, model));
}

/** @param {Model} base @param {Model} now */
function figures(base, now) {
  const same = base.profile.unit === now.profile.unit;
  const at8 = (/** @type {Model} */ model) => model.runs.find((run) => run.procs === 8);
  /** @type {[string, string, string, number, number][]} */
  const rows = [
    ["limit", times(base.limit), times(now.limit), base.limit, now.limit],
    ["work", base.amount(base.work), now.amount(now.work), same ? base.work * (base.nsPerWork || 1) : NaN, same ? now.work * (now.nsPerWork || 1) : NaN],
    ["critical path", base.amount(base.span), now.amount(now.span), same ? base.span * (base.nsPerWork || 1) : NaN, same ? now.span * (now.nsPerWork || 1) : NaN],
    ["tasks", count(base.profile.trace?.tasks_spawned ?? 0), count(now.profile.trace?.tasks_spawned ?? 0), base.profile.trace?.tasks_spawned ?? 0, now.profile.trace?.tasks_spawned ?? 0],
  ];
  const before = at8(base), after = at8(now);
  if (before && after) rows.push(["predicted, 8 CPUs", base.amount(before.time), now.amount(after.time), before.time * (base.nsPerWork || 1), after.time * (now.nsPerWork || 1)]);
  if (base.measured && now.measured) rows.push(["this run", time(base.measured.ns), time(now.measured.ns), base.measured.ns, now.measured.ns]);
  const change = (/** @type {number} */ a, /** @type {number} */ b) => (!(a > 0) || Number.isNaN(b) ? "" : Math.abs(b / a - 1) < 0.0005 ? "same" : `${b >= a ? "+" : "−"}${percent(Math.abs(b / a - 1))}`);
  return card("Before and after", base.profile.run?.program === now.profile.run?.program ? "" : `${clipped(base.profile.run?.program ?? "", 40)}, then ${clipped(now.profile.run?.program ?? "", 40)}.`, scrollable("Table of figures of both runs", h("table", { class: "figures" }, h("caption", { class: "unseen" }, "Figures of both runs"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "words" }, "figure"), ...["before", "after", "change"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows.map(([name, a, b, x, y]) => h("tr", {}, h("th", { scope: "row", class: "words" }, name), h("td", {}, a), h("td", {}, b), h("td", {}, change(x, y))))))));
}

/** @param {Model} base @param {Model} now */
function curves(base, now) {
  const host = h("div", { class: "plot" });
  const made = card("Predicted speedup, before and after", "", host);
  if (base.runs.length === 0 || now.runs.length === 0) {
    host.append(empty("One of the runs has no prediction."));
    return made;
  }
  chart(host, { label: "Predicted speedup of both runs by number of CPUs", height: 236, draw: (svg, width, height) => {
    const highest = Math.max(2, ...[...base.runs, ...now.runs].map((run) => run.speedup)) * 1.08, right = 74;
    const x = scaleLog([1, 128], [38, width - right]).base(2), y = scaleLinear([0, highest], [height - 34, 12]);
    axis(svg, "left", y, { at: 38, ticks: 4, grid: width - 38 - right, format: (value) => `${value}×` });
    axis(svg, "bottom", x, { at: height - 34, values: [1, 2, 4, 8, 16, 32, 64, 128], format: String });
    text(svg, width - right, height - 3, "CPUs", "axis-title", "end");
    const labels = [];
    for (const [model, kind, name] of /** @type {[Model, string, string][]} */ ([[base, "base", "before"], [now, "now", "after"]])) {
      const runs = model.runs.filter((run) => run.procs <= 128);
      svg.append(s("path", { class: `line line-${kind}`, d: line((/** @type {any} */ run) => x(run.procs), (run) => y(run.speedup)).curve(curveMonotoneX)(runs) }));
      for (const run of runs.filter((each) => Number.isInteger(Math.log2(each.procs))))
        svg.append(mark(s("circle", { class: `dot dot-${kind}`, cx: x(run.procs), cy: y(run.speedup), r: 4 }), `${name}, ${run.procs} CPUs: ${times(run.speedup)}\npredicted ${model.amount(run.time)}`));
      const end = runs[runs.length - 1];
      labels.push({ y: y(end.speedup) + 4, text: `${name} ${digits(end.speedup)}`, kind });
    }
    spread(labels, 16, 14, height - 38);
    for (const label of labels) text(svg, width - right + 9, label.y, label.text, `label label-${label.kind}`);
  } });
  return made;
}

/** @param {Model} base @param {Model} now */
function bySite(base, now) {
  const host = h("div", { class: "plot" });
  const share = (/** @type {Model} */ model, /** @type {any} */ site) => (site ? (100 * site.json.critical_work) / (model.span || 1) : 0);
  /** @type {Pair[]} */
  const pairs = now.sites.map((site) => ({ name: site.title, color: site.color, now: share(now, site), base: share(base, base.sites.find((other) => other.name === site.name)) }));
  for (const site of base.sites) if (!now.sites.some((other) => other.name === site.name)) pairs.push({ name: `${site.title} (gone)`, color: "site-other", now: 0, base: share(base, site) });
  const moved = pairs.filter((pair) => Math.abs(pair.now - pair.base) >= 0.5).sort((a, b) => Math.abs(b.now - b.base) - Math.abs(a.now - a.base)).slice(0, 12);
  const made = card("Share of the critical path, by site", "Ring: before. Dot: after. Sites are matched by file and line.", host);
  if (moved.length === 0) {
    host.append(empty("No site's share of the critical path moved by half a percentage point."));
    return made;
  }
  chart(host, { label: "Share of the critical path before and after, by site", height: moved.length * 30 + 34, draw: (svg, width, height) => {
    const left = Math.min(300, width * 0.42), x = scaleLinear([0, Math.max(...moved.flatMap((pair) => [pair.now, pair.base]))], [left, width - 84]);
    axis(svg, "bottom", x, { at: height - 26, ticks: 5, grid: height - 30, format: (value) => `${value}\u00a0%` });
    moved.forEach((pair, i) => {
      const y = i * 30 + 16;
      const group = mark(s("g", { class: `move ${pair.color}` }), `${pair.name}\n${percent(pair.base, 100)} before, ${percent(pair.now, 100)} after`);
      group.append(s("rect", { class: "hit", x: 0, y: y - 15, width, height: 30 }), s("line", { x1: x(pair.base), x2: x(pair.now), y1: y, y2: y }),
        s("circle", { class: "ring", cx: x(pair.base), cy: y, r: 5 }), s("circle", { class: "full", cx: x(pair.now), cy: y, r: 6 }));
      svg.append(group);
      text(svg, 0, y + 4, clipped(pair.name, Math.floor((left - 12) / 6.9)), "label");
      text(svg, width - 2, y + 4, `${pair.now >= pair.base ? "+" : "−"}${digits(Math.abs(pair.now - pair.base))} points`, "small", "end");
    });
  } });
  return made;
}
