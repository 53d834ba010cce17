// SPDX-License-Identifier: Apache-2.0
// Functions and lines of the program on the critical path, by samples, each with its error.
import { card, empty, h, scrollable } from "./dom.js";
import { clipped, count, percent, tail, times } from "./format.js";
import { lineId } from "./source.js";

/** @typedef {import("./model.js").Model} Model */

const kMost = 8;
const kFactor = 8;

/** How far the interval reaches at most, in percent of the whole. @param {number} value @param {[number, number]} interval @param {number} whole */
function error(value, interval, whole) {
  return `±${percent(Math.max(interval[1] - value, value - interval[0]), whole)}`;
}

/** The heading has the factor, unless the row has only others. @param {Model} model @param {any} row */
function ifFaster(model, row) {
  const point = row.points?.find((/** @type {any} */ each) => each.factor === kFactor) ?? row.points?.[0];
  return point ? `${times(point.parallelism)}${point.factor === kFactor ? "" : ` ${model.improved(point.factor)}`}` : "";
}

/** The functions that the program's authors wrote, main excepted: it is everything. @param {Model} model @returns {any[]} */
function own(model) {
  return (model.profile.functions ?? []).filter((/** @type {any} */ each) => !each.of_library && each.kind === "function" && each.name !== "main" && !each.passes_to && each.critical_work > 0);
}

/** Why there are none, and what changes that. @param {{ reason: string, command: string } | undefined} why */
function without(why) {
  return why ? `Why: ${why.reason}.${why.command ? ` ${why.command}` : ""}` : "";
}

/** @param {Model} model */
export function functions(model) {
  const sampling = model.profile.sampling, title = "Functions and lines";
  if (!sampling) return card(title, "", empty(`Which functions the critical path consists of was not recorded: there are no samples of the stack. ${without(model.profile.no_samples)}`));
  const ofLibrary = new Set((model.profile.functions ?? []).filter((/** @type {any} */ each) => each.of_library).map((/** @type {any} */ each) => each.name));
  const rows = own(model), lines = (model.profile.lines ?? []).filter((/** @type {any} */ each) => each.critical_work > 0 && !ofLibrary.has(each.function));
  if (rows.length === 0 && lines.length === 0)
    return card(title, "", empty(sampling.in_steps > 0 ? "No sample hit a function of the program on the critical path." : "No sample was taken while a task or main ran: the run was too short."));
  const made = card(title, `By ${count(sampling.in_steps)} samples of the stack, so with an error: the true share is within ± of the figure in 95 of 100 cases. ${percent(sampling.not_sampled_critical_work, model.span)} of the critical path was not sampled.`);
  const most = Math.max(...[...rows, ...lines].map((each) => each.critical_work), 1e-9);
  const bar = (/** @type {any} */ row) => {
    const line = h("span", { class: "bar-line" });
    line.style.width = `${(100 * row.critical_work) / most}%`;
    return h("td", { "data-key": "critical", class: "with-bar site-other" }, `${percent(row.critical_work, model.span)} `, h("span", { class: "called" }, error(row.critical_work, row.critical_work_interval, model.span)), h("span", { class: "bar-track", "aria-hidden": "true" }, line));
  };
  const named = (/** @type {string} */ name, /** @type {string} */ hint, /** @type {any} */ row, /** @type {string} */ after) => {
    const code = h("code", { title: hint.slice(0, 400) }, tail(name, 44)), target = row.file ? lineId(model, row.file, row.line) : "";
    return h("th", { scope: "row", class: "name" }, target ? h("a", { class: "place", href: `#${target}` }, code) : code, after ? h("span", { class: "called" }, tail(after, 44)) : null);
  };
  const head = (/** @type {string} */ first, /** @type {[string, string][]} */ others) => h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "name" }, first), ...others.map(([name, hint]) => h("th", { scope: "col", title: hint }, name))));
  /** @type {[string, string]} */ const critical = ["critical", "share of the critical path, and how far its 95 % interval reaches"];
  /** @type {[string, string]} */ const work = ["work", "work of the whole program in it"];
  /** @type {[string, string]} */ const faster = [model.profile.what_if?.mode === "optimize" ? `if ${kFactor}x as fast` : `on ${kFactor} CPUs`, `parallelism of the program, if it were ${model.improved(kFactor)}`];
  const place = (/** @type {any} */ row) => (row.file ? `${row.file.split("/").pop()}${row.line > 0 ? `:${row.line}` : ""}` : row.module ?? "");
  if (rows.length > 0)
    made.append(scrollable("Table of functions", h("table", { class: "functions" }, h("caption", { class: "unseen" }, "Functions with their shares of the critical path"),
      head("Function", [critical, ["without calls", "share of the critical path in the function itself, without what it calls"], work, faster]),
      h("tbody", {}, ...rows.slice(0, kMost).map((row) => h("tr", {}, named(row.short_name, row.name, row, row.short_name.endsWith(` at ${place(row)}`) ? "" : place(row)), bar(row),
        h("td", { "data-key": "self" }, percent(row.self_critical_work, model.span)), h("td", { "data-key": "work" }, model.amount(row.work)), h("td", { "data-key": "parallelism" }, ifFaster(model, row))))))));
  if (lines.length > 0)
    made.append(scrollable("Table of lines", h("table", { class: "functions lines" }, h("caption", { class: "unseen" }, "Lines with their shares of the critical path"),
      head("Line", [critical, work, faster]),
      h("tbody", {}, ...lines.slice(0, kMost).map((/** @type {any} */ row) => h("tr", {}, named(place(row), `${row.file}:${row.line}`, row, row.function ?? ""), bar(row),
        h("td", { "data-key": "work" }, model.amount(row.work)), h("td", { "data-key": "parallelism" }, ifFaster(model, row))))))));
  if (rows.length > kMost || lines.length > kMost) made.append(h("p", { class: "note after" }, `${count(Math.max(0, rows.length - kMost) + Math.max(0, lines.length - kMost))} more with less: tp-analyze --functions.`));
  return made;
}
