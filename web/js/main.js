// SPDX-License-Identifier: Apache-2.0
// The sections of the page, in the order of their questions. A section that fails leaves the others.
import { busy } from "./busy.js";
import { changes } from "./changes.js";
import { connectTooltip } from "./chart.js";
import { empty, h } from "./dom.js";
import { gains } from "./gains.js";
import { limits } from "./limits.js";
import { measured } from "./measured.js";
import { Model } from "./model.js";
import { scaling } from "./scaling.js";
import { sites } from "./sites.js";
import { sizes } from "./sizes.js";
import { lineId } from "./source.js";
import { structure } from "./structure.js";

/** @typedef {{id: string, question: string, short: string, note: string | ((model: Model) => string), draw: (section: HTMLElement, model: Model) => void | Promise<void>, only?: (model: Model) => boolean}} Section */

/** @type {Section[]} */
const SECTIONS = [
  { id: "scale", question: "Will it scale?", short: "Scale", draw: scaling,
    note: (model) => `${model.runs.length > 0 ? "The line is a simulation of the recorded tasks on that many CPUs. " : ""}Within the band ends any scheduler that leaves no CPU idle while a task is ready, if tasks cost nothing to create and to steal${model.limitByLock === undefined ? "" : ", and waiting for locks costs no more than their sections"}${model.runs.length > 0 ? `; the line includes that cost${model.limitByLock === undefined ? "" : ", so it may lie below"}` : ""}.` },
  { id: "limits", question: "What limits it?", short: "Limits", draw: limits,
    note: "The critical path is the longest chain of code that has to run in sequence. More CPUs do not make it shorter." },
  { id: "gains", question: "What would I gain?", short: "Gains", draw: gains,
    note: "Computed from the recorded tasks, before anything is changed." },
  { id: "source", question: "Where in my source?", short: "Source", draw: sites,
    note: "A spawn site is a line that creates tasks. Its work is that of its tasks." },
  { id: "busy", question: "Was the machine busy?", short: "Busy", draw: busy,
    note: "What the threads did in this run, when, and why the run did not end earlier." },
  { id: "sizes", question: "How large are the tasks?", short: "Sizes", draw: sizes,
    note: "Small tasks cost more than they gain; a few large ones leave CPUs idle." },
  { id: "structure", question: "Who spawns whom?", short: "Structure", draw: structure,
    note: "All tasks of a site that were created from the same place are one." },
  { id: "changes", question: "What changed?", short: "Changes", draw: changes, note: "This run, compared with an earlier one.",
    only: (model) => model.base !== null },
  { id: "measured", question: "How was it measured?", short: "Measured", draw: measured, note: "" },
];

/** @param {string} id */
const data = (id) => JSON.parse(document.getElementById(id)?.textContent || "null");

function button(/** @type {string} */ name, /** @type {string} */ title, /** @type {() => void} */ act) {
  const made = h("button", { type: "button", class: "button", title }, name);
  made.addEventListener("click", act);
  return made;
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  document.dispatchEvent(new Event("themechange"));
}

function saveJson() {
  const text = document.getElementById("data")?.textContent ?? "";
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  h("a", { download: "profile.json", href: url }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function show() {
  const model = new Model(data("data"), data("base-data"));
  const host = document.getElementById("sections"), nav = document.getElementById("nav");
  if (!host || !nav) return;
  document.getElementById("buttons")?.replaceChildren(button("JSON", "Save the data of this page", saveJson),
    button("◐", "Switch between light and dark", toggleTheme));
  host.replaceChildren();
  nav.replaceChildren();
  SECTIONS.filter((each) => !each.only || each.only(model)).forEach((each, i) => {
    const note = typeof each.note === "function" ? each.note(model) : each.note;
    const section = h("section", { id: each.id, "aria-labelledby": each.id + "-title" },
      h("h2", { id: each.id + "-title" }, h("span", { class: "ordinal", "aria-hidden": "true" }, String(i + 1)), each.question),
      note ? h("p", { class: "question-note" }, note) : null);
    host.append(section);
    nav.append(h("a", { href: "#" + each.id }, each.short));
    const failed = (/** @type {unknown} */ error) => {
      section.append(empty("This section could not be drawn: " + String(error)));
      console.error(error);
    };
    try {
      Promise.resolve(each.draw(section, model)).catch(failed);
    } catch (error) {
      failed(error);
    }
  });
  const { file = "", line = 0 } = model.profile.verdict?.place ?? {}, id = lineId(model, file, line);
  if (id) document.querySelector("#lead a")?.setAttribute("href", "#" + id);
  const tip = document.getElementById("tip");
  if (tip) connectTooltip(tip);
  document.documentElement.dataset.ready = "true";
}

show();
