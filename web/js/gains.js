// SPDX-License-Identifier: Apache-2.0
// What would I gain? The limit if one part of the code were divided among 2 CPUs, 8 CPUs, or free:
// a dumbbell each; what is only on or off (waits, grain sizes) is a diamond.
import { scaleLinear, scaleLog } from "d3-scale";
import { axis, chart, mark, text } from "./chart.js";
import { card, empty, h, s } from "./dom.js";
import { clipped, digits, percent, times, unqualified, wrapped } from "./format.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Change} Change */

const ROWS = 14;
// Below this width names have lines of their own.
const NARROW = 760;

/** @param {HTMLElement} section @param {Model} model */
export function gains(section, model) {
  const host = h("div", { class: "plot" });
  const all = model.changes;
  const helpful = all.filter((change) => model.most(change) > model.now * 1.05);
  const shown = helpful.slice(0, ROWS);
  const made = card(`The limit after one change${model.sleeps ? ", without sleep" : ""}`, `Parallelism if one part of the code were ${model.profile.what_if?.mode === "optimize" ? "faster" : "divided among CPUs"} and all else stayed as it is. ${legend(model, shown)} ${shown.some((change) => change.points.length === 1) ? "Diamond: a change that is made or not." : ""}`, host);
  section.append(made);
  if (model.isAmple) {
    host.append(empty("Parallelism is enough for 128 CPUs and beyond: no change is needed to scale that far."));
    return;
  }
  if (shown.length === 0) {
    host.append(empty(all.length === 0
      ? `No change was evaluated: ${model.profile.what_if?.not_explored || "the program has neither marked regions nor code on the critical path that accounts for 1 %"}.`
      : "No single change raises the limit by 5\u00a0%."));
    return;
  }
  const rest = all.length - shown.length;
  if (rest > 0) made.append(h("p", { class: "note after" }, helpful.length > shown.length
    ? `${rest} more changes, of which ${helpful.length - shown.length} gain over 5\u00a0%.` : rest === 1 ? "1 more change gains less than 5\u00a0%." : `${rest} more changes gain less than 5\u00a0% each.`));
  chart(host, { label: "Limit of parallelism after each change", height: (width) => shown.length * rowOf(width, model, shown) + 52,
    draw: (svg, width, height) => draw(svg, width, height, model, shown) });
}

/** The factors that are drawn: the smallest, one near 8, the largest. @param {Change} change */
function factorsOf(change) {
  const all = change.points.map((point) => point.factor).sort((a, b) => a - b);
  return { least: all[0], near: Math.max(all[0], ...all.filter((factor) => factor <= 8)), most: all[all.length - 1] };
}

/** Where names begin to be left of the picture, and its left end. @param {number} width */
const leftOf = (width) => (width < NARROW ? 8 : Math.min(400, width * 0.36));

/** A name in one line, or in two. @param {number} width @param {Model} model @param {Change} change */
function linesOf(width, model, change) {
  const most = Math.floor((width < NARROW ? width - 10 : leftOf(width) - 20) / 7.3), name = unqualified(model.brief(change.name));
  return wrapped([...name].length > 2 * most ? name.replace(/ \([^()]*\)$/, "") : name, most, 2);
}

/** The height of a row: names of two lines need more. @param {number} width @param {Model} model @param {Change[]} shown */
const rowOf = (width, model, shown) => (width < NARROW ? 66 : 42) + (shown.some((change) => linesOf(width, model, change).length > 1) ? 15 : 0);

/** @param {Model} model @param {number} factor @param {string} kind */
const words = (model, factor, kind) => (kind === "threads" ? `${factor} times as many threads` : kind === "lock" ? `by ${factor}` : factor >= 100 ? "as good as free" : model.improved(factor));

/** @param {Model} model @param {Change[]} shown */
function legend(model, shown) {
  const several = shown.filter((change) => change.points.length > 1);
  const one = several.find((change) => change.kind !== "threads" && change.kind !== "lock") ?? several[0];
  if (!one) return "";
  const { least, near, most } = factorsOf(one);
  const of = (/** @type {number} */ factor) => words(model, factor, one.kind);
  return `Small dot: ${of(least)}. ${near !== least && near !== most ? `Large dot: ${of(near)}. ` : ""}Ring: ${of(most)}.`;
}

/** @param {SVGSVGElement} svg @param {number} width @param {number} height @param {Model} model @param {Change[]} shown */
function draw(svg, width, height, model, shown) {
  const narrow = width < NARROW;
  const left = leftOf(width), right = 58, top = 26, row = rowOf(width, model, shown), under = narrow ? row - 16 : row / 2;
  const most = Math.max(...shown.map((change) => model.most(change)));
  const log = most / model.now > 30;
  const x = log ? scaleLog([model.now * 0.9, most * 1.05], [left, width - right]) : scaleLinear([Math.min(model.now * 0.9, model.now - (most - model.now) * 0.04), most], [left, width - right]);
  axis(svg, "bottom", x, { at: height - 24, ticks: narrow ? 4 : 7, grid: narrow ? 0 : height - 24 - top, format: (value) => (log && !/^[125]0*(\.0)?$/.test(String(value)) ? "" : `${value.toLocaleString("en-US")}×`) });
  const now = x(model.now);
  svg.append(s("line", { class: "limit-line", x1: now, x2: now, y1: top - 4, y2: narrow ? top + 4 : height - 24 }));
  // Below narrow names, only where the dumbbells are.
  if (narrow) shown.forEach((_, i) => svg.append(s("line", { class: "limit-line", x1: now, x2: now, y1: top + i * row + under - 9, y2: top + i * row + under + 9 })));
  text(svg, now, top - 10, `${model.isLimited && !model.knowsLimits ? "without that limit" : "now"} ${digits(model.now)}`, "label strong", now > width - 80 ? "end" : narrow ? "start" : "middle");
  shown.forEach((change, i) => {
    const y = top + i * row + under;
    const single = change.points.length === 1;
    const { least, near, most: free } = factorsOf(change);
    const points = change.points.filter((point) => [least, near, free].includes(point.factor));
    const kind = `gain-${change.kind}`;
    const lines = single ? [`${times(change.points[0].parallelism)}`] : points.map((point) => `${words(model, point.factor, change.kind)}: ${times(point.parallelism)}`);
    const predicted = change.points.find((point) => point.factor === 8)?.predicted?.find((each) => each.procs === 8);
    if (predicted) lines.push(`${model.improved(8)}, in all on 8 CPUs: ${model.amount(predicted.time)}`);
    const group = mark(s("g", { class: `gain ${kind}` }),
      `${change.name}\n${change.detail}${change.critical > 0 ? `, ${percent(change.critical, model.span)} of the critical path` : ""}\n${lines.join("\n")}`);
    group.append(s("rect", { class: "hit", x: 0, y: y - (narrow ? row - 20 : row / 2), width, height: row }));
    const end = x(single ? change.points[0].parallelism : model.most(change));
    group.append(s("line", { x1: now, x2: end, y1: y, y2: y }));
    if (single) group.append(s("path", { class: "diamond", d: `M${end} ${y - 6}L${end + 6} ${y}L${end} ${y + 6}L${end - 6} ${y}Z` }));
    else for (const point of points)
      group.append(s("circle", { class: point.factor === free ? "ring" : "full", cx: x(point.parallelism), cy: y, r: point.factor === least ? 3.5 : 6 }));
    svg.append(group);
    const value = single ? change.points[0].parallelism : model.most(change);
    text(svg, end + 11, y + 4, digits(value), "label strong");
    const names = linesOf(width, model, change), above = names.length * 15;
    const note = [change.critical > 0 ? percent(change.critical, model.span) + " of the path" : "", change.place && !change.name.includes(change.place) ? change.place : "", change.kind === "region" ? "marked region" : change.kind === "regions" ? "together" : change.kind === "wait" ? "if it did not wait" : change.kind === "site" && !change.name.startsWith("all") ? "all tasks of the site" : change.kind === "stretch" ? "code between tasks" : ""].filter(Boolean).join(", ");
    const first = narrow ? y - 14 - above : y + 13 - (above + 15) / 2;
    names.forEach((name, line) => text(svg, 0, first + line * 15, name, "label strong"));
    text(svg, 0, first + above, clipped(note, Math.floor((narrow ? width : left - 20) / 6.2)), "small");
  });
}
