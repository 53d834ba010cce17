// SPDX-License-Identifier: Apache-2.0
// What would I gain? The limit if one part of the code were twice as fast, 8 times as fast, or free:
// a dumbbell each; what is only on or off (waits, grain sizes) is a diamond.
import { scaleLinear, scaleLog } from "d3-scale";
import { axis, chart, mark, text } from "./chart.js";
import { card, empty, h, s } from "./dom.js";
import { clipped, digits, percent, times } from "./format.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Change} Change */

const ROWS = 14;

/** @param {HTMLElement} section @param {Model} model */
export function gains(section, model) {
  const host = h("div", { class: "plot" });
  const order = ["region", "stretch", "site", "wait", "grain"];
  const all = model.changes.filter((change) => change.points.length > 0);
  const helpful = all.filter((change) => model.most(change) > model.limit * 1.05)
    .sort((a, b) => Number(b.kind === "region") - Number(a.kind === "region") || model.most(b) - model.most(a) || order.indexOf(a.kind) - order.indexOf(b.kind));
  const shown = helpful.slice(0, ROWS);
  const made = card("The limit after one change", "Parallelism if one part of the code were faster and all else stayed as it is. Small dot: twice as fast. Large dot: 8 times. Ring: as good as free. Diamond: a change that is made or not.", host);
  section.append(made);
  if (model.isAmple) {
    host.append(empty("Parallelism is enough for 128 CPUs and beyond: no change is needed to scale that far."));
    return;
  }
  if (shown.length === 0) {
    host.append(empty(all.length === 0
      ? `No change was evaluated: ${model.profile.what_if?.not_explored || "the program has neither marked regions nor code on the critical path that accounts for 1 %"}.`
      : "No single change raises the limit by a twentieth."));
    return;
  }
  const rest = all.length - shown.length;
  if (rest > 0) made.append(h("p", { class: "note after" }, helpful.length > shown.length
    ? `${rest} more, of which ${helpful.length - shown.length} gain over a twentieth.` : `${rest} more gain less than a twentieth each.`));
  chart(host, { label: "Limit of parallelism after each change", height: (width) => shown.length * (width < 620 ? 66 : 42) + 52,
    draw: (svg, width, height) => draw(svg, width, height, model, shown) });
}

/** @param {SVGSVGElement} svg @param {number} width @param {number} height @param {Model} model @param {Change[]} shown */
function draw(svg, width, height, model, shown) {
  const narrow = width < 620;
  const left = narrow ? 8 : Math.min(400, width * 0.36), right = 58, top = 26, row = narrow ? 66 : 42;
  const most = Math.max(...shown.map((change) => model.most(change)));
  const log = most / model.limit > 30;
  const x = log ? scaleLog([model.limit * 0.9, most * 1.05], [left, width - right]) : scaleLinear([Math.min(model.limit * 0.9, model.limit - (most - model.limit) * 0.04), most], [left, width - right]);
  axis(svg, "bottom", x, { at: height - 24, ticks: narrow ? 4 : 7, grid: height - 24 - top, format: (value) => (log && !/^[125]0*(\.0)?$/.test(String(value)) ? "" : `${value.toLocaleString("en-US")}×`) });
  const now = x(model.limit);
  svg.append(s("line", { class: "limit-line", x1: now, x2: now, y1: top - 4, y2: height - 24 }));
  text(svg, now, top - 10, `now ${digits(model.limit)}`, "label strong", now > width - 80 ? "end" : narrow ? "start" : "middle");
  shown.forEach((change, i) => {
    const y = top + i * row + (narrow ? 50 : row / 2);
    const single = change.points.length === 1;
    const points = [2, 8, Infinity].map((factor) => (factor === Infinity
      ? { factor, parallelism: model.most(change) } : { factor, parallelism: model.at(change, factor) ?? 0 })).filter((point) => point.parallelism > 0);
    const kind = `gain-${change.kind}`;
    const words = single ? [`${times(change.points[0].parallelism)}`] : points.map((point) => `${point.factor === Infinity ? "free" : `${point.factor} times as fast`}: ${times(point.parallelism)}`);
    const predicted = change.points.find((point) => point.factor === 8)?.predicted?.find((each) => each.procs === 8);
    if (predicted) words.push(`8 times as fast, on 8 CPUs: ${model.amount(predicted.time)}`);
    const group = mark(s("g", { class: `gain ${kind}` }),
      `${change.name}\n${change.detail}${change.critical > 0 ? `, ${percent(change.critical, model.span)} of the critical path` : ""}\n${words.join("\n")}`);
    group.append(s("rect", { class: "hit", x: 0, y: y - (narrow ? 46 : row / 2), width, height: row }));
    const end = x(single ? change.points[0].parallelism : model.most(change));
    group.append(s("line", { x1: now, x2: end, y1: y, y2: y }));
    if (single) group.append(s("path", { class: "diamond", d: `M${end} ${y - 6}L${end + 6} ${y}L${end} ${y + 6}L${end - 6} ${y}Z` }));
    else for (const point of points)
      group.append(s("circle", { class: point.factor === Infinity ? "ring" : "full", cx: x(point.parallelism), cy: y, r: point.factor === 2 ? 3.5 : 6 }));
    svg.append(group);
    const value = single ? change.points[0].parallelism : model.most(change);
    text(svg, end + 11, y + 4, digits(value), "label strong");
    const name = clipped(change.name, Math.floor((narrow ? width - 10 : left - 20) / 7.3));
    const note = [change.critical > 0 ? percent(change.critical, model.span) + " of the path" : "", change.place && !change.name.includes(change.place) ? change.place : "", change.kind === "region" ? "marked region" : change.kind === "wait" ? "if it did not wait" : change.kind === "site" && !change.name.startsWith("all") ? "all tasks of the site" : change.kind === "stretch" ? "code between tasks" : ""].filter(Boolean).join(", ");
    text(svg, 0, narrow ? y - 29 : y - 2, name, "label strong");
    text(svg, 0, narrow ? y - 14 : y + 13, clipped(note, Math.floor((narrow ? width : left - 20) / 6.2)), "small");
  });
}
