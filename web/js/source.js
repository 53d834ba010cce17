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
    return card("Source", "", model.profile.page?.source_wanted === false ? empty("The page was made without source (--no-source).")
      : !model.sites.some((site) => site.json.line > 0) ? empty("No site has a line: the program was built without debug information (-g), or without tp-c++.")
      : empty("No excerpts: the source files were not found from here. Run tp-report where the program was compiled, or name another place: --map-path OLD=NEW."));
  return h("div", {}, ...files.map((file, i) => excerpt(model, file, i)));
}

/** Whether two names, of which one may lack directories, are those of one file. @param {string} a @param {string} b */
const sameFile = (a, b) => a === b || a.endsWith("/" + b) || b.endsWith("/" + a);

/** The id of a line on the page; "" if it is in no excerpt. @param {Model} model @param {string} file @param {number} line */
export function lineId(model, file, line) {
  const index = (model.profile.source ?? []).findIndex((/** @type {any} */ each) => line > 0 && sameFile(each.name, file) && each.lines?.[line] !== undefined);
  return index < 0 ? "" : `line-${index}-${line}`;
}

const WORDS = "alignas alignof auto bool break case catch char class co_await co_return co_yield concept const consteval constexpr constinit continue decltype default delete do double else enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public requires return short signed sizeof static static_assert struct switch template this thread_local throw true try typedef typename union unsigned using virtual void volatile while";
const TOKENS = new RegExp(`(\\/\\/.*|\\/\\*.*?\\*\\/)|("(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*')|\\b(${WORDS.replaceAll(" ", "|")})\\b|(^\\s*#\\s*\\w+)`, "g");

/** A line of C++ with comments, texts and keywords in colors. @param {string} line @returns {(Node | string)[]} */
export function colored(line) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let at = 0;
  for (const found of line.matchAll(TOKENS)) {
    parts.push(line.slice(at, found.index), h("span", { class: found[1] ? "comment" : found[2] ? "text" : "word" }, found[0]));
    at = found.index + found[0].length;
  }
  return [...parts, line.slice(at)];
}

/** What is known of each line of a file. @param {Model} model @param {string} name @returns {Map<number, Heat>} */
function heatOf(model, name) {
  /** @type {Map<number, Heat>} */
  const heat = new Map();
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
    if (site.json.line > 0 && sameFile(site.json.file, name))
      add(site.json.line, { critical: site.json.critical_work, work: site.json.exclusive_work, names: [site.title], color: site.color, region: false });
  for (const region of model.profile.regions ?? [])
    if (sameFile(region.file, name))
      add(region.line, { critical: region.critical_work, work: region.work ?? region.critical_work, names: (region.names ?? []).map((/** @type {string} */ each) => `region ${each}`), color: "site-0", region: true });
  // What is spawned at a line is more than its own code.
  for (const line of model.profile.lines ?? [])
    if (line.critical_work > 0 && sameFile(line.file, name) && !heat.has(line.line))
      add(line.line, { critical: line.critical_work, work: line.work, names: [`by samples, in ${line.function}`], color: "site-other", region: false });
  return heat;
}

/** @param {Model} model @param {any} file @param {number} index */
function excerpt(model, file, index) {
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
    rows.push(h("tr", { class: known ? "known" : undefined, "data-line": line, id: `line-${index}-${line}` },
      cell(known?.critical ?? 0, model.span), cell(known?.work ?? 0, model.work),
      h("td", { class: "line" }, line), h("td", { class: "code" }, h("code", { title: known ? known.names.join(", ").slice(0, 300) : undefined }, ...colored(clipped(file.lines[line], 400))))));
  });
  const scroll = h("div", { class: "scroll source", tabindex: 0, role: "region", "aria-label": `Source of ${clipped(file.name, 80)}` },
    h("table", {}, h("caption", { class: "unseen" }, "Source with shares of the critical path and of work"),
      h("thead", {}, h("tr", {}, ...["critical", "work", "line", "source"].map((name) => h("th", { scope: "col", class: name === "source" ? "words" : undefined }, name)))),
      h("tbody", {}, ...rows)));
  const notes = [file.newer_than_program ? "This file is newer than the program: lines may have moved." : "",
    (model.profile.lines ?? []).length > 0 ? "Lines that spawn tasks show what the tasks do, and marked lines their region; other lines their own code, by samples." : ""];
  const made = card("", notes.filter((each) => each !== "").join(" "), scroll);
  made.querySelector("h3")?.append(h("code", {}, clipped(file.name, 120)));
  requestAnimationFrame(() => {
    const row = scroll.querySelector(`[data-line="${hottest}"]`);
    if (row instanceof HTMLElement) {
      // A whole line is the first below the head.
      const head = scroll.querySelector("thead")?.getBoundingClientRect().height ?? 0;
      const first = [...scroll.querySelectorAll("tbody tr")].find((each) => each instanceof HTMLElement && each.offsetTop >= row.offsetTop - scroll.clientHeight / 2);
      scroll.scrollTop = first instanceof HTMLElement ? Math.max(0, first.offsetTop - head) : 0;
    }
  });
  return made;
}
