// SPDX-License-Identifier: Apache-2.0
// Was the machine busy? What the time of all threads went to, what the path of this run consisted
// of, and both over time.
import { scaleLinear } from "d3-scale";
import { chart, mark, text, widthOf } from "./chart.js";
import { card, empty, h, s } from "./dom.js";
import { percent } from "./format.js";
import { timeline } from "./timeline.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{name: string, note: string, value: number, kind: string}} Part */

/** @type {Record<string, string>} */
const EDGES = { create: "a new task was ready", create_continue: "a task could go on after creating another",
  wait_continue: "a task could go on after its tasks had ended", end: "a task could go on after another had ended", inside: "a task was held up", lock: "a task waited for a lock" };
/** @type {Record<string, string>} */
const LATE = { create: "new task waited", inside: "held up" };

/** @param {HTMLElement} section @param {Model} model */
export function busy(section, model) {
  section.append(h("div", { class: "columns even" }, threadTime(model), runPath(model)));
  return timeline(section, model);
}

/** @param {Model} model */
const withLeftOut = (model) => (model.profile.from === "first_use" ? ", with what is left out of the profile (--from first-use)" : "");

/** @param {Model} model */
function threadTime(model) {
  const balance = model.profile.time_balance ?? {};
  const total = (balance.threads ?? 0) * (balance.elapsed_ticks ?? 0);
  if (!(total > 0)) return card("Time of all threads", "", empty("The recording has no times: its clock counts other events only."));
  const lost = balance.of_them_descheduled_ticks ?? 0;
  // Sleep is in the unit of work: ticks, where time without a CPU is known.
  const slept = Math.min(lost, model.profile.trace?.asleep ?? 0);
  const inLocks = balance.of_them_lock_waits_ticks ?? 0;
  const sleptIn = model.sleptIn(model.profile.latency_in), waited = slept - Math.min(slept, model.profile.latency ?? 0);
  /** @type {Part[]} */
  const parts = [
    { name: "work", note: `running tasks or code outside tasks${withLeftOut(model)}`, value: balance.steps_ticks - lost, kind: "state-work" },
    { name: "asleep", note: sleptIn ? `${sleptIn}${waited * 20 > slept ? "; else for other threads" : ""}` : model.profile.trace?.waits_seen && model.profile.latency === 0 ? "a task waited for another thread: for events, condition variables, the ends of threads" : `a task was in input or output, waited for another thread, or slept by the clock${inLocks > 0 ? "" : ", or in a lock"}`, value: slept, kind: "state-asleep" },
    { name: "waiting for locks", note: "a task waited for a lock, on a CPU or asleep", value: inLocks, kind: "state-locks" },
    { name: "no CPU", note: model.profile.trace?.sleep_seen ? "a task was running, but the system had given its CPU to others" : "a task was running without a CPU: it slept, or the system had given its CPU to others", value: lost - slept - inLocks, kind: "state-lost" },
    { name: "overhead", note: "creating, starting and joining tasks", value: balance.overhead_ticks ?? 0, kind: "state-overhead" },
    { name: "idle", note: model.profile.run?.openmp ? "no task to run, and waits in barriers" : "no task to run", value: balance.idle_ticks ?? 0, kind: "state-idle" },
    { name: "outside the recording", note: "before a thread's first and after its last task", value: balance.absent_ticks ?? 0, kind: "state-absent" },
  ];
  return bar("Time of all threads", `${balance.threads} thread${balance.threads === 1 ? "" : "s"} × ${model.ticks(balance.elapsed_ticks)}, from the first to the last record.`, parts, total, model);
}

/** @param {Model} model */
function runPath(model) {
  const path = model.profile.run_path ?? {};
  if (path.not_made || !(path.path_ticks > 0)) return card("Why it took so long", "", empty(`The path of this run is not known: ${path.not_made || "the recording has no times"}.`));
  const sum = (/** @type {Record<string, number>} */ delays) => Object.values(delays ?? {}).reduce((a, b) => a + b, 0);
  const off = path.of_running ?? {};
  /** @type {Part[]} */
  const parts = [
    { name: "running", note: `code of the path ran${withLeftOut(model)}`, value: path.running_ticks - sum(off), kind: "state-work" },
    { name: "asleep", note: "code of the path slept: in input or output, by the clock, until a child process had ended", value: off.latency_ticks ?? 0, kind: "state-asleep" },
    { name: "waited", note: model.profile.trace?.waits_seen ? "code of the path waited for other threads: for events, at barriers" : "code of the path slept", value: off.waited_ticks ?? 0, kind: "state-asleep" },
    { name: "no CPU", note: "code of the path could run, and this program's threads had all CPUs", value: off.crowded_ticks ?? 0, kind: "state-lost" },
    { name: "CPU taken", note: "code of the path could run, and others had its CPU (other programs, a hypervisor)", value: off.taken_ticks ?? 0, kind: "state-lost" },
    { name: "waiting for locks", note: "code of the path waited for a lock, on a CPU or asleep; the table of locks says who held it", value: path.busy_delay_ticks?.lock ?? 0, kind: "state-locks" },
    { name: "all busy", note: "the next code of the path was ready, and all CPUs ran other tasks", value: sum(path.busy_delay_ticks) - (path.busy_delay_ticks?.lock ?? 0), kind: "state-busy" },
  ];
  for (const [edge, ticks] of Object.entries(path.scheduler_delay_ticks ?? {}))
    parts.push({ name: LATE[edge] ?? "resumed late", note: `${model.profile.run?.openmp && edge === "wait_continue" ? "a task could go on after its tasks had ended, or all threads had come to a barrier" : EDGES[edge] ?? edge}, and a CPU ran no task of this program`, value: ticks, kind: edge === "create" ? "state-new" : "state-late" });
  return bar("Why it took so long", `The chain of tasks that decided when the run ended, over its whole time. ${model.profile.run_check?.text ?? ""}`.trim(), parts, path.path_ticks, model);
}

/** @param {string} title @param {string} note @param {Part[]} parts @param {number} total @param {Model} model */
function bar(title, note, parts, total, model) {
  const host = h("div", { class: "plot" });
  const shown = parts.filter((part) => part.value > total * 0.0005);
  chart(host, { label: title, height: 34, draw: (svg, width) => {
    const x = scaleLinear([0, shown.reduce((sum, part) => sum + part.value, 0)], [0, width]);
    let at = 0;
    for (const part of shown) {
      const x0 = x(at), wide = x(at + part.value) - x0;
      at += part.value;
      svg.append(mark(s("rect", { class: part.kind, x: x0, y: 0, width: Math.max(0.7, wide - 1), height: 32, rx: 2 }), `${part.name}: ${percent(part.value, total)}\n${model.ticks(part.value)}\n${part.note}`));
      const label = `${part.name} ${percent(part.value, total)}`;
      if (widthOf(label, 13) < wide - 10) text(svg, x0 + 7, 21, label, `label on-${part.kind}`);
    }
  } });
  const rest = shown.filter((part) => part.value > total * 0.005);
  return card(title, note, host, h("ul", { class: "parts" }, ...rest.map((part) => h("li", {}, h("i", { class: `swatch ${part.kind}` }), h("strong", {}, `${part.name} ${percent(part.value, total)}`), ` ${part.note}`))));
}
