// SPDX-License-Identifier: Apache-2.0
// The locks of the program: what their critical sections add up to, which run one after the other on
// any number of CPUs, and what threads waited for them in this run.
import { card, empty, h, scrollable } from "./dom.js";
import { clipped, count, digits, percent, time, times } from "./format.js";
import { leaves } from "./model.js";
import { lineId } from "./source.js";

/** @typedef {import("./model.js").Model} Model */

const kMost = 12;

/** What that is for a reader: a bound, one under a condition, or an estimate. @param {any} lock */
function leavesInWords(lock) {
  if (leaves(lock) === Infinity) return "any";
  return `${lock.bound_kind === "estimate" ? "about " : ""}${times(leaves(lock))}${lock.bound_kind === "if_one_object" ? ", if one object" : lock.bound_kind === "if_same_lock" ? ", if the same on other threads" : ""}`;
}

/** @param {Model} model */
function limitInWords(model) {
  const lock = model.limitingLock;
  if (lock === undefined) return "None of these limits the program more than its critical path.";
  const what = lock.speedup === undefined ? "parallelism" : "with what is slept inside of them, speedup";
  const bound = lock.bound_kind === "estimate" ? `${what} is at most about ${digits(leaves(lock))} by the first of these, whose sections were sampled` : `${what} is at most ${digits(leaves(lock))} by the first of these`;
  return `${bound}${lock.bound_kind === "if_one_object" ? ", if it was one lock throughout: its address may have had several" : ""}.`;
}

/** Whether a lock was held, waited for, or tried in vain, a thousandth of the work; where work is no time, any wait may be that long. @param {Model} model @param {any} lock */
function matters(model, lock) {
  const waited = model.nsPerWork > 0 ? (lock.waited_ns ?? 0) / model.nsPerWork : lock.waited > 0 ? Infinity : 0;
  return (lock.held + waited + (lock.retried ?? 0)) * 1000 >= model.work || leaves(lock) < model.limit;
}

/** The place that most of the waits are charged to. @param {any} lock */
function mostBlamed(lock) {
  const place = [...lock.places].sort((/** @type {any} */ a, /** @type {any} */ b) => (b.wait_blame ?? 0) - (a.wait_blame ?? 0))[0];
  return place?.wait_blame > 0 ? `${clipped(place.name, 30)}, ${percent(place.wait_blame, lock.waited)}` : "";
}

const kChanges = { shorter: (/** @type {number} */ factor) => `${factor} times as short`, split: (/** @type {number} */ factor) => `${factor} locks`, shared: () => "all shared", gone: () => "none" };

/** Predicted times with other locks, on the most CPUs: of each kind of change the shortest in a line, all as a hint. @param {Model} model @param {any} lock */
function whatIf(model, lock) {
  const made = (lock.what_if ?? []).filter((/** @type {any} */ each) => each.predicted?.length > 0).map((/** @type {any} */ each) => {
    const most = each.predicted[each.predicted.length - 1];
    return { change: each.change, what: kChanges[/** @type {keyof typeof kChanges} */ (each.change)](each.factor), time: most.time, procs: most.procs };
  });
  if (made.length === 0) return { lines: [], hint: "not predicted" };
  const lines = Object.keys(kChanges).flatMap((change) => {
    const best = made.filter((/** @type {any} */ each) => each.change === change).sort((/** @type {any} */ one, /** @type {any} */ other) => one.time - other.time)[0];
    return best ? [`${model.amount(best.time)} (${best.what})`] : [];
  });
  return { lines, hint: `on ${made[0].procs} CPUs: ${made.map((/** @type {any} */ each) => `${each.what} ${model.amount(each.time)}`).join(", ")}` };
}

/** @param {Model} model */
export function locks(model) {
  const given = model.profile.locks ?? [], all = given.filter((/** @type {any} */ lock) => matters(model, lock)), observed = model.profile.locks_observed;
  const title = "Locks";
  const hidden = model.profile.locks_not_observed ?? [];
  const unseen = hidden.length === 0 ? "" : `Not observed: ${hidden.slice(0, 6).map((/** @type {any} */ lock) => (lock.file ? `${lock.kind} at ${clipped(lock.file.split("/").pop(), 40)}:${lock.line}` : lock.kind)).join(", ")}${hidden.length > 6 ? ` and ${hidden.length - 6} more` : ""}.`;
  if (all.length === 0 && given.length > 0)
    return card(title, "", empty(`${unseen === "" ? "" : `${unseen} The program was compiled without Taskpath's headers: waiting there counts as work. `}No lock that was observed matters: ${given.length === 1 ? "the one that was acquired was held, and waited for, for" : `each of the ${count(given.length)} that were acquired was held, and waited for, for`} less than a thousandth of the work.`));
  if (given.length === 0)
    return card(title, "", empty(!observed?.onetbb ? "Locks were not observed, so all figures are as if there were none. tp-run --locks=auto records them."
      : observed.c_library ? (observed.onetbb_headers === false ? `${unseen === "" ? "No lock was seen to be acquired. A spin_mutex and the like are seen in code that was compiled with Taskpath's headers (tp-c++)." : `${unseen} The program was compiled without Taskpath's headers: waiting there counts as work. tp-c++ compiles it with them.`}` : "No task acquired a lock.")
        : "No task acquired a lock of oneTBB. Locks of the C library (std::mutex) were not observed: tp-run records both."));
  const work = model.profile.work || 1;
  /** @type {[string, string, (lock: any) => string, boolean?][]} */
  const columns = [
    ["parallelism", "parallelism that the sections of the lock leave at most: work divided by its bound; if it is slept in them, speedup", leavesInWords],
    ["if changed", "predicted time of the program if its sections were shorter, if there were more locks in its place, if all shared it, or if there were none: of each the shortest; point at it for all", () => ""],
    ["held", "sum of its sections, in percent of all work; those of a lock that is several objects may run side by side", (lock) => `${lock.held_is_estimate ? "about " : ""}${percent(lock.held, work)}`, true],
    ["acquired", "how often it was acquired", (lock) => count(lock.acquisitions)],
    ["contended", "how often the first attempt failed; of this run's schedule", (lock) => percent(lock.contended, lock.acquisitions)],
    ["waited", "time that threads waited for it, all added up; of this run's schedule", (lock) => (lock.waited_ns === null ? `${count(lock.waited)} ticks` : time(lock.waited_ns))],
    ["each time", "time waited, by one that found it taken, on average; of this run's schedule", (lock) => (lock.contended === 0 ? "" : lock.waited_ns === null ? `${count(Math.round(lock.waited / lock.contended))} ticks` : time(lock.waited_ns / lock.contended))],
    ["waits charged to", "where it had been acquired by those who held it during most of the time waited, and released it last; with the share of that time", (lock) => mostBlamed(lock)],
    ["no holder known", "part of the time waited of which it is not known who held the lock", (lock) => (lock.waited > 0 ? percent(lock.waited_no_holder ?? 0, lock.waited) : "")],
    ["longest held", "the longest section that was timed", (lock) => model.amount(lock.longest_held)],
    ["objects", "locks in one variable, or without one and acquired at the same lines", (lock) => count(lock.objects)],
  ];
  if (all.some((/** @type {any} */ lock) => lock.failed_tries > 0))
    columns.splice(-2, 0, ["tried in vain", "attempts that failed and did not wait (try_lock), and the work from each of them to the thread's next attempt, in percent of all work, which may be waiting; of this run's schedule",
      (lock) => (lock.failed_tries > 0 ? `${count(lock.failed_tries)}, ${percent(lock.retried, work)}` : "")]);
  const most = Math.max(...all.map((/** @type {any} */ lock) => lock.held), 1e-9);
  const row = (/** @type {any} */ lock) => {
    const code = h("code", { title: `${lock.node ?? lock.kind} ${lock.name}` }, clipped(lock.name, 44)), target = lineId(model, lock.file, lock.line);
    const places = lock.places.map((/** @type {any} */ place) => place.name);
    return h("tr", {}, h("th", { scope: "row", class: "name" }, target ? h("a", { class: "place", href: `#${target}` }, code) : code,
      h("span", { class: "called", title: places.join(", ").slice(0, 400) }, clipped(`${lock.node ?? lock.kind}, ${places[0] ?? ""}${places.length > 1 ? ` and ${places.length - 1} more` : ""}`, 44))),
    ...columns.map(([key, , text, hasBar]) => {
      if (key === "if changed") {
        const { lines, hint } = whatIf(model, lock);
        return h("td", { "data-key": key, title: hint }, ...lines.map((line) => h("span", { class: "remedy" }, line)));
      }
      if (!hasBar) return h("td", { "data-key": key }, text(lock));
      const bar = h("span", { class: "bar-line" });
      bar.style.width = `${(100 * lock.held) / most}%`;
      return h("td", { "data-key": key, class: "with-bar site-other" }, text(lock), h("span", { class: "bar-track", "aria-hidden": "true" }, bar));
    }));
  };
  const made = card(title, `The sections of a lock run one after the other, however many CPUs there are${model.limitingLock === undefined ? "." : ":"} ${limitInWords(model)}`);
  const shown = [...all].sort((a, b) => (leaves(a) === leaves(b) ? b.held - a.held : leaves(a) - leaves(b))).slice(0, kMost);
  made.append(scrollable("Table of locks", h("table", { class: "locks" }, h("caption", { class: "unseen" }, "Locks with their figures"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "name" }, "Lock"), ...columns.map(([name, hint]) => h("th", { scope: "col", title: hint }, name)))), h("tbody", {}, ...shown.map(row)))));
  if (unseen !== "") made.append(h("p", { class: "note after" }, `${unseen} The program was compiled without Taskpath's headers: waiting there counts as work.`));
  const hiddenRows = given.length - shown.length;
  if (hiddenRows > 0) made.append(h("p", { class: "note after" }, `${count(hiddenRows)} ${hiddenRows === 1 ? "lock" : "locks"} with less ${hiddenRows === 1 ? "is" : "are"} only in the JSON of tp-analyze.`));
  return made;
}
