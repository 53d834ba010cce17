// SPDX-License-Identifier: Apache-2.0
// Where in my source? The sites as a table that sorts and filters, and the source around what
// matters.
import { card, empty, h, scrollable } from "./dom.js";
import { clipped, count, percent, time, times } from "./format.js";
import { shortFunction } from "./model.js";
import { lineId, source } from "./source.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Site} Site */
/** @typedef {{key: string, name: string, title: string, value: (site: Site) => number, text: (site: Site) => string, bar?: boolean, hint?: (site: Site) => string}} Column */

// So many rows are shown until all are asked for.
const FIRST = 15;

/** @param {Model} model @returns {Column[]} */
function columnsOf(model) {
  const json = (/** @type {Site} */ site) => site.json;
  // Code outside tasks runs one at a time: its row is about itself, not about all below, which is the program.
  const chainOf = (/** @type {Site} */ site) => (site.index === 0 ? json(site).critical_work : json(site).longest_chain ?? json(site).span);
  const workOf = (/** @type {Site} */ site) => (site.index === 0 ? json(site).exclusive_work : json(site).work);
  const hasIdle = model.sites.some((site) => site.json.idle_beside_ns !== undefined);
  /** @type {Column[]} */
  const columns = [
    { key: "critical", name: "critical path", title: "share of the critical path", bar: true, value: (site) => json(site).critical_work, text: (site) => percent(json(site).critical_work, model.span) },
    { key: "work", name: "work", title: "own work of its tasks", bar: true, value: (site) => json(site).exclusive_work, text: (site) => model.amount(json(site).exclusive_work) },
    { key: "chain", name: "longest chain", title: "the most of the work of its tasks, and of all below, that has to run in sequence", value: chainOf, text: (site) => model.amount(chainOf(site)) },
    { key: "parallelism", name: "parallelism", title: "the work of its tasks, and of all below, divided by its longest chain", value: (site) => (chainOf(site) > 0 ? workOf(site) / chainOf(site) : 0), text: (site) => (chainOf(site) > 0 ? times(workOf(site) / chainOf(site)) : "") },
    { key: "tasks", name: "tasks", title: "tasks that were created", hint: inWordsOfOpenmp, value: (site) => json(site).invocations, text: (site) => (site.index === 0 ? "" : count(json(site).invocations)) },
    { key: "mean", name: "mean task", title: "own work of a task on average", value: (site) => (site.index === 0 ? 0 : json(site).tasking?.mean_task_work ?? 0), text: (site) => (site.index === 0 ? "" : model.amount(json(site).tasking?.mean_task_work ?? 0)) },
    { key: "overhead", name: "overhead", title: "modeled cost of creating and running its tasks, in percent of work and cost", value: (site) => json(site).tasking?.modelled_percent ?? 0, text: (site) => (site.index === 0 ? "" : percent(json(site).tasking?.modelled_percent ?? 0, 100)) },
    { key: "steals", name: "steals", title: "tasks that another thread took", value: (site) => json(site).tasking?.steals ?? 0, text: (site) => (site.index === 0 ? "" : count(json(site).tasking?.steals ?? 0)) },
  ];
  // As on the terminal: a hundredth of the work and the sleep of the program.
  if (model.sites.some((site) => 100 * (json(site).latency ?? 0) >= model.work + (model.profile.latency ?? 0) && json(site).latency > 0))
    columns.push({ key: "asleep", name: "asleep", title: "what its tasks slept, not waiting for other threads; on a figure: in what", value: (site) => json(site).latency ?? 0, text: (site) => (json(site).latency > 0 ? model.amount(json(site).latency) : ""), hint: (site) => model.sleptIn(json(site).latency_in) });
  if (hasIdle)
    columns.push({ key: "idle", name: "idle meanwhile", title: "idle time of CPUs while its tasks ran, shared evenly among all that ran then; of this run's schedule", bar: true, value: (site) => json(site).idle_beside_ns ?? 0, text: (site) => time(json(site).idle_beside_ns ?? 0) });
  return columns;
}

/** @param {HTMLElement} section @param {Model} model */
export function sites(section, model) {
  if (model.sites.length === 0) {
    section.append(card("Spawn sites", "", empty("This profile has no sites.")));
    return;
  }
  section.append(table(model));
  section.append(source(model));
}

/** The name, as a link if the source is on the page. @param {Model} model @param {Site} site */
function placeOf(model, site) {
  const code = h("code", { title: site.name }, clipped(site.short, 44));
  const target = lineId(model, site.json.file, site.json.line);
  return target ? h("a", { class: "place", href: `#${target}` }, code) : code;
}

/** The function, or the wrapper that it was called through. @param {Site} site */
const calledOf = (site) => (site.index === 0 ? "" : site.json.line > 0 && site.json.functions?.length ? site.title.slice(site.name.length + 1) + (site.heading.includes(" <- ") ? ` ← ${site.wrapper}` : "") : site.wrapper ? `← ${shortFunction(site.wrapper)}` : "");

/** @type {Record<string, [string, string]>} What OpenMP calls a construct, and its tasks. */
const OPENMP = {
  omp_parallel: ["parallel region", "implicit tasks"], omp_parallel_gcc: ["parallel region", "implicit tasks"], omp_task: ["task", "tasks"],
  omp_taskloop: ["taskloop", "tasks"], omp_for: ["loop", "what a thread runs of its chunks"], omp_sections: ["sections", "what a thread runs of them"],
  omp_reduction: ["reduction", "combinations of two threads' values"], omp_teams: ["league of teams", "initial tasks"],
  omp_teams_gcc: ["league of teams", "initial tasks"], omp_distribute: ["distributed loop", "what a team runs of it"],
};
/** @param {Site} site */
const openmpOf = (site) => (site.json.constructs ?? []).map((/** @type {string} */ construct) => OPENMP[construct]).find(Boolean);

/** "8 implicit tasks", "4 tasks, each what a thread runs of its chunks; 120 chunks": in OpenMP's words. @param {Site} site */
export function inWordsOfOpenmp(site) {
  const words = openmpOf(site);
  if (!words) return "";
  const { invocations, tasking } = site.json, chunks = tasking?.body_calls ?? 0;
  const tasks = words[1].startsWith("what") ? `${count(invocations)} tasks, each ${words[1]}` : `${count(invocations)} ${invocations === 1 ? words[1].slice(0, -1) : words[1]}`;
  return tasks + (chunks > 0 ? `; ${count(chunks)} ${words[0] === "sections" ? "sections" : "chunks"}` : "");
}

/** @param {Model} model */
function table(model) {
  const columns = columnsOf(model);
  const state = { key: "critical", down: true, filter: "", all: model.sites.length <= FIRST + 3 };
  const body = h("tbody");
  const left = model.profile.page?.left_out?.sites ?? 0;
  const words = h("span", { role: "status" }), more = h("button", { type: "button", class: "button no-print" });
  const status = h("p", { class: "note after" }, words, more);
  more.addEventListener("click", () => {
    state.all = true;
    show();
    const next = body.children[FIRST]?.querySelector("a");
    if (next instanceof HTMLElement) next.focus();
  });
  const input = h("input", { type: "search", placeholder: "Filter by file or function", "aria-label": "Filter sites by file or function" });
  const most = new Map(columns.filter((column) => column.bar).map((column) => [column.key, Math.max(...model.sites.map(column.value), 1e-9)]));
  /** @type {Map<string, HTMLTableCellElement>} */
  const heads = new Map();
  const row = (/** @type {Site} */ site) => h("tr", {}, h("th", { scope: "row", class: "name" }, h("span", { class: "swatched" }, h("i", { class: `swatch ${site.color}` }),
    site.index === 0 ? "code outside tasks" : placeOf(model, site)),
    calledOf(site) ? h("span", { class: "called", title: [...(site.json.functions ?? []), site.name].join(", ").slice(0, 400) }, clipped(calledOf(site), 34)) : null,
    openmpOf(site) ? h("span", { class: "called", title: `OpenMP: its tasks are ${openmpOf(site)?.[1]}` }, openmpOf(site)?.[0] ?? "") : null,
    site.json.too_short ? h("abbr", { title: "unreliable: reading the clock takes over a tenth of the measured work" }, " ~") : null),
  ...columns.map((column) => {
    if (!column.bar) return h("td", { "data-key": column.key, title: column.hint?.(site) || undefined }, column.text(site));
    const bar = h("span", { class: "bar-line" });
    bar.style.width = `${(100 * column.value(site)) / (most.get(column.key) ?? 1)}%`;
    return h("td", { "data-key": column.key, class: `with-bar ${site.color}` }, column.text(site), h("span", { class: "bar-track", "aria-hidden": "true" }, bar));
  }));
  const show = () => {
    const column = columns.find((each) => each.key === state.key) ?? columns[0];
    const wanted = state.filter.toLowerCase();
    const found = model.sites.filter((site) => !wanted || `${site.title} ${(site.json.functions ?? []).join(" ")} ${(site.json.constructs ?? []).join(" ")}`.toLowerCase().includes(wanted));
    found.sort((a, b) => (column.value(b) - column.value(a)) * (state.down ? 1 : -1) || a.index - b.index);
    const shown = state.all ? found : found.slice(0, FIRST);
    body.replaceChildren(...shown.map(row));
    more.hidden = shown.length === found.length;
    more.textContent = `Show all ${count(found.length)} sites`;
    for (const [key, head] of heads) head.setAttribute("aria-sort", key !== state.key ? "none" : state.down ? "descending" : "ascending");
    words.textContent = [shown.length < found.length ? `The first ${shown.length} in this order` : "", wanted ? `${found.length} of ${model.sites.length} sites` : "", left > 0 ? `${count(left)} sites with less are only in the JSON of tp-analyze` : ""].filter(Boolean).join("; ");
    status.hidden = words.textContent === "" && more.hidden;
  };
  const header = h("tr", {}, h("th", { scope: "col", class: "name" }, "Spawn site"), ...columns.map((column) => {
    const button = h("button", { type: "button", title: column.title }, column.name);
    button.addEventListener("click", () => {
      state.down = state.key === column.key ? !state.down : true;
      state.key = column.key;
      show();
    });
    const head = h("th", { scope: "col", "aria-sort": "none" }, button);
    heads.set(column.key, head);
    return head;
  }));
  input.addEventListener("input", () => { state.filter = input.value; show(); });
  show();
  const made = card("Spawn sites", "");
  made.querySelector("h3")?.after(h("div", { class: "tools no-print" }, input));
  made.append(scrollable("Table of spawn sites",
    h("table", { class: "sites" }, h("caption", { class: "unseen" }, "Spawn sites with their figures"), h("thead", {}, header), body)), status);
  return made;
}
