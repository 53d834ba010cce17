// SPDX-License-Identifier: Apache-2.0
// Will it scale? Speedup against CPUs: the simulation, the bounds of any greedy scheduler, the best
// change, what this run achieved; and the predicted times as a table.
import { scaleLinear, scaleLog } from "d3-scale";
import { area, line } from "d3-shape";
import { axis, chart, mark, spread, text } from "./chart.js";
import { card, empty, h, s, scrollable } from "./dom.js";
import { count, digits, fitting, percent, times, unqualified, wrapped } from "./format.js";

/** @typedef {import("./model.js").Model} Model */

const MOST = 128;
const DENSE = Array.from({ length: 57 }, (_, i) => 2 ** (i / 8));

/** What the prediction names as the limiter. @type {Record<string, string>} */
const BINDS = { work: "CPUs", span: "critical path", overhead: "task overhead", grain: "loops too coarse", lock: "a lock", concurrency: "threads of an arena" };

/** With points in between, as straight as the ideal line, so that none of them is above it. @param {{procs: number, speedup: number}[]} points */
export function between(points) {
  return points.flatMap((to, i) => {
    const from = points[i - 1];
    const inner = from ? DENSE.filter((procs) => procs > from.procs && procs < to.procs) : [];
    return [...inner.map((procs) => ({ procs, speedup: from.speedup + ((to.speedup - from.speedup) * (procs - from.procs)) / (to.procs - from.procs) })), to];
  });
}

/** What a greedy scheduler reaches at least on so many CPUs. @param {number} procs @param {number} limit */
const greedy = (procs, limit) => 1 / (1 / procs + 1 / limit);

/** The change to draw: the marked region that gains most, else the code. @param {Model} model */
export function bestChange(model) {
  if (model.sleeps || model.isLimited) return undefined;
  const candidates = model.changes.filter((change) => model.at(change, 8) !== undefined);
  const pick = (/** @type {string} */ kind) => candidates.filter((change) => change.kind === kind)
    .sort((a, b) => (model.at(b, 8) ?? 0) - (model.at(a, 8) ?? 0))[0];
  const best = pick("region") ?? [pick("stretch"), pick("site")].filter(Boolean).sort((a, b) => (model.at(b, 8) ?? 0) - (model.at(a, 8) ?? 0))[0];
  return best && (model.at(best, 8) ?? 0) > model.now * 1.05 ? best : undefined;
}

/** @param {HTMLElement} section @param {Model} model */
export function scaling(section, model) {
  const runs = model.runs;
  const host = h("div", { class: "plot" });
  const plot = card("Speedup by number of CPUs", "", host);
  plot.classList.add("wide");
  section.append(h("div", { class: "columns" }, plot, table(model)));
  if (!(model.speedupLimit > 0) || model.work === 0) {
    host.append(empty("No work was recorded, so there is nothing to predict."));
    return;
  }
  if (runs.length === 0)
    plot.append(empty(`No predicted line: ${model.profile.prediction?.not_made || "the simulation was not made"}. The band shows the bounds.`));
  chart(host, { label: "Speedup by number of CPUs, from 1 to 128", height: (width) => Math.max(280, Math.min(400, width * 0.52)),
    draw: (svg, width, height) => draw(svg, width, height, model) });
}

/** @param {SVGSVGElement} svg @param {number} width @param {number} height @param {Model} model */
function draw(svg, width, height, model) {
  const narrow = width < 520;
  const left = 40, right = narrow ? 14 : 180, top = 22, bottom = 38;
  const runs = model.runs.filter((run) => run.procs <= MOST);
  const best = !model.isAmple ? bestChange(model) : undefined;
  const bestLimit = best ? model.at(best, 8) ?? 0 : 0;
  const measured = model.measured;
  const highest = Math.min(MOST, Math.max(2, model.speedupLimit * 1.15, bestLimit * 1.12, ...runs.map((run) => run.speedup)));
  const log = highest > 16;
  const least = Math.min(1, measured ? measured.speedup * 0.8 : 1);
  const x = scaleLog([1, MOST], [left, width - right]).base(2);
  const y = log ? scaleLog([Math.min(1, least), highest], [height - bottom, top]).base(2)
    : scaleLinear([0, highest], [height - bottom, top]);
  const powers = [1, 2, 4, 8, 16, 32, 64, 128];
  const clip = s("clipPath", { id: "speedup-frame" }, s("rect", { x: left, y: top - 8, width: width - left - right, height: height - top - bottom + 8 }));
  svg.append(s("defs", {}, clip));
  axis(svg, "left", y, { at: left, grid: width - left - right, ...(log ? { values: [1 / 64, 1 / 16, 1 / 4, ...powers].filter((each) => each <= highest && each >= least) } : { ticks: 5 }), format: (value) => `${value}×` });
  axis(svg, "bottom", x, { at: height - bottom, values: powers, format: String });
  text(svg, width - right, height - 4, "CPUs", "axis-title", "end");
  text(svg, 2, 11, log ? "speedup (logarithmic)" : "speedup", "axis-title");
  const frame = s("g", { "clip-path": "url(#speedup-frame)" });
  svg.append(frame);
  /** @param {number} limit @param {string} kind @param {number} [least] */
  const band = (limit, kind, least = limit) => frame.append(s("path", { class: `band ${kind}`, d: area(
    (/** @type {number} */ p) => x(p), (p) => y(Math.max(greedy(p, least), 1e-3)), (p) => y(Math.min(p, limit)))(DENSE) }));
  if (best) band(bestLimit, "band-best");
  band(model.today, "band-now", Math.min(model.today, model.greedyLimit));
  frame.append(s("path", { class: "ideal", d: line((/** @type {number} */ p) => x(p), (p) => y(p))(DENSE) }));

  const drawn = (/** @type {{procs: number, speedup: number}[]} */ points) =>
    line((/** @type {{procs: number, speedup: number}} */ p) => x(p.procs), (p) => y(p.speedup))(between(points));
  /** @type {{y: number, lines: string[], kind: string}[]} */
  const labels = [];
  if (best) {
    const end = y(Math.min(MOST, bestLimit));
    const points = best.points.find((point) => point.factor === 8)?.predicted;
    if (points?.length)
      frame.append(s("path", { class: "line line-best", d: drawn(points.filter((p) => p.procs <= MOST).map((p) => ({ procs: p.procs, speedup: (runs[0]?.time ?? model.work) / p.time }))) }));
    labels.push({ y: end, lines: [...wrapped(unqualified(model.brief(best.name)).replace(/ \([^()]*\)$/, ""), 22, 3), `${model.improved(8)}: at most ${digits(bestLimit)}`], kind: "label-best" });
    svg.append(mark(s("rect", { class: "hit", x: x(32), y: end - 5, width: x(128) - x(32), height: 10 }),
      `${best.name}, ${model.improved(8)}\nat most ${times(bestLimit)} on any number of CPUs`));
  }
  frame.append(s("path", { class: "line line-now", d: drawn(runs) }));
  for (const run of runs)
    svg.append(mark(s("circle", { class: "dot dot-now", cx: x(run.procs), cy: y(run.speedup), r: powers.includes(run.procs) ? 4 : 2.5 }),
      `${run.procs} CPU${run.procs === 1 ? "" : "s"}: ${times(run.speedup)}\npredicted ${model.amount(run.time)}\nefficiency ${percent(run.efficiency, 100)}, limited by ${BINDS[run.binds] ?? run.binds}`));
  const last = runs[runs.length - 1];
  if (last) labels.push({ y: y(last.speedup), lines: ["predicted", `at most ${digits(model.today)}`], kind: "label-now" });
  else labels.push({ y: y(Math.min(MOST, model.today)), lines: ["bounds", `at most ${digits(model.today)}`], kind: "label-now" });
  const idealEnd = Math.min(highest, MOST) / (log ? 1.35 : 1.12);
  if (!narrow || !best) text(svg, x(Math.min(idealEnd, MOST * 0.8)) - 8, y(idealEnd) + 4, "ideal", "label muted", "end");
  if (measured && measured.procs <= MOST) {
    const px = x(measured.procs), py = y(Math.max(measured.speedup, log ? least : 0));
    svg.append(mark(s("path", { class: "measured", d: `M${px} ${py - 7}L${px + 7} ${py}L${px} ${py + 7}L${px - 7} ${py}Z` }),
      `this run: ${times(measured.speedup)} on ${measured.procs} CPU${measured.procs === 1 ? "" : "s"}`));
    text(svg, px + 11, Math.min(py + 4, height - bottom - 6), "this run", "label label-measured");
  }
  if (narrow) {
    labels.forEach((label) => text(svg, width - right, label.y - 7, fitting(width - right - left, 13, label.lines.join(" "), label.lines[label.lines.length - 1]), `label ${label.kind}`, "end"));
    return;
  }
  const lines = Math.max(...labels.map((label) => label.lines.length));
  spread(labels, lines * 15 + 6, top + 4, height - bottom - 15 * lines + 12);
  for (const label of labels)
    label.lines.forEach((each, i) => text(svg, width - right + 10, label.y + 4 + i * 15, each, `label ${label.kind}${i > 0 && i === label.lines.length - 1 ? " small" : ""}`));
}

/** @param {Model} model */
function table(model) {
  const runs = model.runs.filter((run) => Number.isInteger(Math.log2(run.procs)) && run.procs <= MOST || run.procs === model.cpus);
  const made = card("Predicted time", "", runs.length === 0
    ? empty(`No prediction: ${model.profile.prediction?.not_made || "the simulation was not made"}.`)
    : scrollable("Table of predicted times", h("table", { class: "figures predicted" },
      h("caption", { class: "unseen" }, "Predicted time by number of CPUs"),
      h("thead", {}, h("tr", {}, ...["CPUs", "time", "speedup", "limited by"].map((name) => h("th", { scope: "col", class: name === "limited by" ? "words" : undefined }, name)))),
      h("tbody", {}, ...runs.map((run) => {
        const bar = h("span", { class: "bar-line" });
        bar.style.width = `${Math.max(2, (100 * run.time) / runs[0].time)}%`;
        return h("tr", { class: run.procs === model.cpus ? "now" : undefined },
          h("th", { scope: "row" }, count(run.procs)),
          h("td", {}, model.amount(run.time), h("span", { class: "bar-track", "aria-hidden": "true" }, bar)),
          h("td", {}, times(run.speedup)), h("td", { class: "words" }, BINDS[run.binds] ?? run.binds));
      })))));
  return made;
}
