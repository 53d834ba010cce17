// SPDX-License-Identifier: Apache-2.0
// The source around sites and marked regions, with their shares of the critical path and of work in
// the margin. The excerpts are in the profile; the page reads no files.
import { card, empty, h } from "./dom.js";
import { clipped, percent } from "./format.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{critical: number, work: number, names: string[], color: string, region: boolean}} Heat */

/** @param {Model} model */
export function source(model) {
  /** @type {any[]} */
  const files = model.profile.source ?? [];
  if (files.length === 0)
    return card("Source", "", empty(model.profile.page?.source_wanted === false ? "The page was made without source (--no-source)."
      : "No excerpts: the source files were not found, or the program has no debug information. --map-path OLD=NEW names another place."));
  return h("div", {}, ...files.map((file) => excerpt(model, file)));
}

/** What is known of each line of a file. @param {Model} model @param {string} name @returns {Map<number, Heat>} */
function heatOf(model, name) {
  /** @type {Map<number, Heat>} */
  const heat = new Map();
  const same = (/** @type {string} */ file) => file === name || name.endsWith("/" + file) || file.endsWith("/" + name);
  const add = (/** @type {number} */ line, /** @type {Heat} */ more) => {
    const old = heat.get(line);
    if (!old) heat.set(line, more);
    else {
      old.critical += more.critical;
      old.work += more.work;
      old.names.push(...more.names);
    }
  };
  for (const site of model.sites)
    if (site.json.line > 0 && same(site.json.file))
      add(site.json.line, { critical: site.json.critical_work, work: site.json.exclusive_work, names: [site.title], color: site.color, region: false });
  for (const region of model.profile.regions ?? [])
    if (same(region.file))
      add(region.line, { critical: region.critical_work, work: region.work ?? region.critical_work, names: (region.names ?? []).map((/** @type {string} */ each) => `region ${each}`), color: "site-0", region: true });
  return heat;
}

/** @param {Model} model @param {any} file */
function excerpt(model, file) {
  const heat = heatOf(model, file.name);
  const numbers = Object.keys(file.lines ?? {}).map(Number).sort((a, b) => a - b);
  const hottest = numbers.reduce((best, line) => ((heat.get(line)?.critical ?? 0) > (heat.get(best)?.critical ?? 0) ? line : best), numbers[0]);
  /** @type {HTMLElement[]} */
  const rows = [];
  numbers.forEach((line, i) => {
    if (i > 0 && line > numbers[i - 1] + 1) rows.push(h("tr", { class: "gap" }, h("td", { colspan: 4 }, `${line - numbers[i - 1] - 1} line${line - numbers[i - 1] === 2 ? "" : "s"} left out`)));
    const known = heat.get(line);
    const cell = (/** @type {number} */ part, /** @type {number} */ whole) => {
      const made = h("td", { class: `heat ${known?.color ?? ""}` }, part > 0 ? percent(part, whole) : "");
      if (part > 0) made.style.setProperty("--share", `${Math.min(100, (100 * part) / whole)}%`);
      return made;
    };
    rows.push(h("tr", { class: known ? "known" : undefined, "data-line": line },
      cell(known?.critical ?? 0, model.span), cell(known?.work ?? 0, model.work),
      h("td", { class: "line" }, line), h("td", { class: "code" }, h("code", { title: known ? known.names.join(", ").slice(0, 300) : undefined }, clipped(file.lines[line], 400)))));
  });
  const scroll = h("div", { class: "scroll source", tabindex: 0, role: "region", "aria-label": `Source of ${clipped(file.name, 80)}` },
    h("table", {}, h("caption", { class: "unseen" }, "Source with shares of the critical path and of work"),
      h("thead", {}, h("tr", {}, ...["critical", "work", "line", "source"].map((name) => h("th", { scope: "col", class: name === "source" ? "words" : undefined }, name)))),
      h("tbody", {}, ...rows)));
  const made = card("", file.newer_than_program ? "This file is newer than the program: lines may have moved." : "", scroll);
  made.querySelector("h3")?.append(h("code", {}, clipped(file.name, 120)));
  requestAnimationFrame(() => {
    const row = scroll.querySelector(`[data-line="${hottest}"]`);
    if (row instanceof HTMLElement) scroll.scrollTop = Math.max(0, row.offsetTop - scroll.clientHeight / 2);
  });
  return made;
}
