// SPDX-License-Identifier: Apache-2.0
// How large are the tasks? A histogram per site, shaded where creating a task costs over a tenth of
// its work; only the means where the profile has no histograms.
import { scaleLinear, scaleLog } from "d3-scale";
import { axis, chart, mark, text } from "./chart.js";
import { card, empty, h, s } from "./dom.js";
import { clipped, count, counted, percent, tick, time } from "./format.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Site} Site */

const MOST = 9;

/** What a task of the site costs in ns, by the model of overhead. @param {Site} site @param {Model} model */
function costOf(site, model) {
  const { tasking, invocations } = site.json;
  return invocations > 0 ? ((tasking?.modelled_cost ?? 0) * model.nsPerWork) / invocations : 0;
}

/** @param {HTMLElement} section @param {Model} model */
export function sizes(section, model) {
  const withTasks = model.sites.filter((site) => site.index > 0 && site.json.invocations > 0);
  if (withTasks.length === 0) {
    section.append(card("Work of a task", "", empty("No tasks were recorded.")));
    return;
  }
  if (model.nsPerWork === 0) {
    section.append(card("Work of a task", "", empty(`Work is counted in ${model.profile.unit ?? "units"}, so that it cannot be compared with the time that a task costs.`)));
    return;
  }
  const sorted = [...withTasks].sort((a, b) => b.json.exclusive_work - a.json.exclusive_work);
  const withHistogram = sorted.filter((site) => site.json.task_work?.tasks?.length);
  if (withHistogram.length === 0) {
    section.append(means(model, sorted.slice(0, 15), sorted.length));
    return;
  }
  const grid = h("div", { class: "multiples" });
  const made = card("Tasks by their own work", "Height: number of tasks. Shaded: tasks so small that creating and starting them costs over a tenth of their work.", grid);
  section.append(made);
  const ends = withHistogram.slice(0, MOST).map((site) => range(site.json.task_work));
  const low = Math.min(...ends.map((each) => each[0])), high = Math.max(...ends.map((each) => each[1]));
  for (const site of withHistogram.slice(0, MOST)) grid.append(multiple(model, site, low, high));
  if (sorted.length > MOST) made.append(h("p", { class: "note after" }, `${counted(sorted.length - MOST, "site")} with less work ${sorted.length - MOST === 1 ? "is" : "are"} not shown.`));
}

/** @param {any} histogram @returns {[number, number]} ns of the first and the last bucket in use */
function range(histogram) {
  const used = histogram.tasks.map((/** @type {number} */ value, /** @type {number} */ i) => (value > 0 ? i : -1)).filter((/** @type {number} */ i) => i >= 0);
  const edge = (/** @type {number} */ i) => histogram.first_ns * 10 ** (i / histogram.per_decade);
  return [edge(used[0] ?? 0), edge((used[used.length - 1] ?? 0) + 1)];
}

/** @param {Model} model @param {Site} site @param {number} low @param {number} high */
function multiple(model, site, low, high) {
  const { task_work: histogram, invocations, tasking } = site.json;
  const host = h("div", { class: "plot" });
  const cost = costOf(site, model), threshold = 10 * cost;
  const facts = [`${count(invocations)} task${invocations === 1 ? "" : "s"}`, `mean ${model.amount(tasking?.mean_task_work ?? 0)}`, `overhead ${percent(tasking?.modelled_percent ?? 0, 100)}`, `${count(tasking?.steals ?? 0)} stolen`];
  chart(host, { label: `Tasks of ${clipped(site.title, 80)} by work`, height: 116, draw: (svg, width, height) => {
    const x = scaleLog([low, high], [4, width - 4]), top = 12, bottom = height - 22;
    const y = scaleLinear([0, Math.max(...histogram.tasks)], [bottom, top]);
    if (threshold > low) svg.append(s("rect", { class: "too-small", x: 0, y: top - 6, width: Math.min(width, x(Math.min(threshold, high))), height: bottom - top + 6 }));
    const decades = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10].filter((each) => each >= low && each <= high);
    axis(svg, "bottom", x, { at: bottom, values: decades.length > 6 ? decades.filter((_, i) => i % 2 === 0) : decades, format: tick });
    histogram.tasks.forEach((/** @type {number} */ tasks, /** @type {number} */ i) => {
      if (tasks === 0) return;
      const from = histogram.first_ns * 10 ** (i / histogram.per_decade), to = from * 10 ** (1 / histogram.per_decade);
      const tall = Math.max(1.5, bottom - y(tasks));
      svg.append(mark(s("rect", { class: site.color, x: x(from) + 0.5, y: bottom - tall, width: Math.max(1, x(to) - x(from) - 1), height: tall }),
        `${time(from)} to ${time(to)}: ${count(tasks)} tasks\n${percent(tasks, invocations)} of the tasks${histogram.work?.[i] !== undefined ? `, ${percent(histogram.work[i], site.json.exclusive_work)} of their work` : ""}`));
    });
  } });
  return h("div", { class: "multiple" }, h("h4", {}, h("i", { class: `swatch ${site.color}` }), clipped(site.heading, 46)), h("p", { class: "note" }, facts.join(", ")), host);
}

/** @param {Model} model @param {Site[]} shown @param {number} all */
function means(model, shown, all) {
  const host = h("div", { class: "plot" });
  const values = shown.map((site) => ({ site, mean: (site.json.tasking?.mean_task_work ?? 0) * model.nsPerWork, cost: costOf(site, model) })).filter((each) => each.mean > 0);
  const made = card("Mean work of a task", "This profile has no histograms, only means. Shaded: so small that creating and starting a task costs over a tenth of its work.", host);
  if (values.length === 0) {
    host.append(empty("The tasks did no work that the clock could measure."));
    return made;
  }
  const low = Math.min(...values.map((each) => Math.min(each.mean, Math.max(each.cost, 10)))) / 2, high = Math.max(...values.map((each) => Math.max(each.mean, 10 * each.cost))) * 2;
  chart(host, { label: "Mean work of a task by site", height: values.length * 30 + 34, draw: (svg, width, height) => {
    const left = Math.min(230, width * 0.42), x = scaleLog([low, high], [left, width - 70]);
    const decades = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10].filter((each) => each >= low && each <= high);
    axis(svg, "bottom", x, { at: height - 26, values: decades, format: tick, grid: height - 30 });
    values.forEach(({ site, mean, cost }, i) => {
      const y = i * 30 + 16;
      if (cost > 0) svg.append(s("rect", { class: "too-small", x: left, y: y - 12, width: Math.max(0, x(Math.max(low, 10 * cost)) - left), height: 24 }));
      svg.append(mark(s("circle", { class: site.color, cx: x(mean), cy: y, r: 6 }), `${site.title}\nmean ${time(mean)}\n${count(site.json.invocations)} tasks, creating one costs ${time(cost)}`));
      text(svg, 0, y + 4, clipped(site.heading, Math.floor((left - 8) / 6.9)), "label");
      text(svg, x(mean) + 11, y + 4, time(mean), "small");
    });
  } });
  if (all > shown.length) made.append(h("p", { class: "note after" }, `${counted(all - shown.length, "site")} with less work ${all - shown.length === 1 ? "is" : "are"} not shown.`));
  return made;
}
