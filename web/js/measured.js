// SPDX-License-Identifier: Apache-2.0
// How was it measured? Folded: the clock, what was accounted for, checks, versions, all warnings.
import { h } from "./dom.js";
import { clipped, count, digits, percent } from "./format.js";

/** @typedef {import("./model.js").Model} Model */

/** @param {HTMLElement} section @param {Model} model */
export function measured(section, model) {
  const { clock = {}, run = {}, trace = {}, attribution = {}, conservation = {}, scalability = {}, prediction = {}, warnings = [], incomplete_reasons: reasons = [], unseen_order: unseen = [] } = model.profile;
  /** @type {[string, string][]} */
  const facts = [
    ["Clock of work", `${clock.event ?? "unknown"}, in ${clock.unit ?? "units"}${clock.requested ? ` (requested: ${clock.requested})` : ""}`],
    ["Why this clock", clock.reason || "it was asked for"],
    ["Cost of a reading", `${count(clock.step_cost_ns ?? 0)} ns, added to each step`],
    ["Recording", `${count(trace.records ?? 0)} records, ${count(trace.steps ?? 0)} steps, ${count(trace.tasks_spawned ?? 0)} tasks, ${count(trace.threads ?? trace.streams ?? 0)} threads; ${model.profile.complete === false ? "incomplete" : "complete"}`],
    ["Accounted for", attribution.percent !== undefined ? `${percent(attribution.percent, 100)} of CPU time is in tasks${attribution.accounted_percent !== undefined ? `; with what threads did between them: ${percent(attribution.accounted_percent, 100)}` : ""}` : "not known"],
    ["Work, critical path", `${model.amount(model.work)}, ${model.amount(model.span)}${warnings.some((/** @type {any} */ each) => each.name === "openmp_not_recorded") ? " (without OpenMP, which ran and was not recorded)" : model.profile.span_is_exact === false ? " (at least)" : ""}`],
    ["With finer loops", model.profile.divisible_is_known ? `parallelism ${digits(model.profile.divisible_parallelism_at_least ?? 0)} to ${digits(model.profile.divisible_parallelism ?? 0)}` : `not known: ${/** @type {Record<string, string>} */ ({ not_recompiled: "loops were not compiled with tp-c++", schedule: "parallel_scan depends on the schedule", hidden_loops: "chunks of static loops of OpenMP by g++, also of distributed ones, are not reported", openmp_not_recorded: "OpenMP ran and was not recorded" })[model.profile.divisible_not_known_because ?? ""] ?? ""}`],
    ["With the cost of steals", scalability.burdened_tbb ? `parallelism ${digits(scalability.burdened_tbb.parallelism)} (a steal costs ${count(scalability.burden?.ns ?? 0)} ns, ${scalability.burden?.origin ?? ""})` : "not known"],
    ["Simulation", prediction.not_made ? `not made: ${prediction.not_made}` : `${count(prediction.dag_nodes ?? 0)} nodes; a steal costs ${count(prediction.steal?.ns ?? 0)} ns (${prediction.steal?.origin ?? ""})`],
    ["Checks", `work of all sites ${conservation.exclusive_work_equals_work === false ? "differs from" : "equals"} the work of the program; critical work of all sites ${conservation.critical_work_equals_span === false ? "differs from" : "equals"} the critical path`],
    ["Program", [run.program, ...(run.arguments ?? []).slice(1)].join(" ")],
    ["Started", run.start_time_unix_ns ? new Date(run.start_time_unix_ns / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "unknown"],
    ["Versions", `Taskpath ${run.taskpath ?? "unknown"}, oneTBB ${run.libtbb || "unknown"}`],
  ];
  if (run.openmp) facts.push(["OpenMP", `${run.openmp.runtime}${run.openmp.replaced ? `, in the place of ${run.openmp.replaced}: the tasks are the program's, the schedule is its own` : ""}`]);
  for (const reason of reasons) facts.push(["Incomplete", reason]);
  for (const each of unseen.slice(0, 20)) facts.push(["Order not seen", each]);
  section.append(h("details", { class: "card" },
    h("summary", {}, `Clock, checks, versions${warnings.length > 0 ? `, ${warnings.length} note${warnings.length === 1 ? "" : "s"}` : ""}`),
    h("dl", { class: "facts-list" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, clipped(value, 600))]),
      ...warnings.flatMap((/** @type {any} */ warning) => [h("dt", {}, warning.certain ? "Note" : "Possibly"), h("dd", {}, clipped(warning.text, 900))]))));
}
