// SPDX-License-Identifier: Apache-2.0
// The profile as the sections read it: sites with their labels and colors, units, and the figures
// that several sections share. Computes nothing but quotients of what the JSON contains.
import { digits, time } from "./format.js";

/** JSON of schema taskpath.profile/1. @typedef {Record<string, any>} Json */

/**
 * @typedef {object} Site
 * @property {number} index in the profile
 * @property {string} name as the profile has it: "main" or FILE:LINE
 * @property {string} short the name without the wrapper that it was called through
 * @property {string} wrapper that wrapper, or ""
 * @property {string} label short, for marks
 * @property {string} heading with the function, without the wrapper
 * @property {string} title for sentences: "image_pipeline.cpp:66 blur"
 * @property {string} color class of its color
 * @property {Json} json
 */

/** @typedef {{procs: number, time: number, speedup: number, binds: string, efficiency: number}} Predicted */
/** @typedef {{name: string, kind: string, place: string, points: {factor: number, parallelism: number, predicted?: {procs: number, time: number}[]}[], critical: number, detail: string}} Change */

/** In a timeline, instead of the index of a site: what --from first-use leaves out. */
export const LEFT_OUT = 2 ** 23 - 1;

/** What steps slept in, as the terminal says it. @type {Record<string, string>} */
const SLEEP = { read_file: "reading files", write_file: "writing files", read_pipe: "reading from pipes", write_pipe: "writing to pipes", read_socket: "reading from sockets", write_socket: "writing to sockets",
  read_device: "reading from a terminal or device", write_device: "writing to a terminal or device", clock: "until a time by the clock", child_process: "until child processes had ended", page_fault: "until pages had been read from disk", unknown: "in what the recording does not show" };

/** The last component of a qualified name, without template arguments. @param {string} name */
export function shortFunction(name) {
  let text = name.replace(/\(anonymous namespace\)::/g, "");
  for (let last = ""; last !== text && text.length < 2000; ) {
    last = text;
    text = text.replace(/<[^<>]*>/g, "");
  }
  text = text.replace(/\(.*$/, "").trim();
  return text.split("::").pop()?.split(" ").pop() || name;
}

/** The names of wrappers in a sentence, which make it long, are for tooltips only. @param {string} text */
export const withoutWrappers = (text) => text.replace(/ <- [^\s,;()]+/g, "");

/** The parallelism that a lock leaves at most, or the speedup if it is slept in its sections; neither is in the profile where its bound is 0. @param {any} lock @returns {number} */
export function leaves(lock) { return lock.speedup ?? lock.parallelism ?? Infinity; }

export class Model {
  /** @param {Json} profile @param {Json | null} base */
  constructor(profile, base) {
    this.profile = profile;
    this.base = base;
    const clock = profile.clock ?? {};
    const hz = clock.hz > 0 && clock.hz === clock.time_hz_stated && clock.time_hz > 0 ? clock.time_hz : clock.hz ?? 0;
    /** ns per unit of work; 0: work is not a time */
    this.nsPerWork = hz > 0 ? 1e9 / hz : 0;
    this.nsPerTick = clock.time_hz > 0 ? 1e9 / clock.time_hz : 0;
    /** @type {number} */ this.work = profile.work ?? 0;
    /** @type {number} */ this.span = profile.span ?? 0;
    /** @type {number} */ this.limit = profile.parallelism ?? 1;
    const withSleep = profile.span_with_latency ?? this.span;
    /** A twentieth of the least time or more is sleep, which no change's limit contains. */
    this.sleeps = withSleep > this.span && (withSleep - this.span) * 20 >= withSleep;
    /** @type {Json[]} */ const limits = (profile.limits ?? []).filter((/** @type {Json} */ each) => !each.like_machine);
    const binds = limits.some((limit) => limit.binds);
    /** An arena or global_control limits the program more than its critical path does. */
    this.isLimited = binds;
    /** @type {number} */ this.speedupLimit = profile.verdict?.limit > 0 ? profile.verdict.limit : this.limit;
    const inLimits = limits.reduce((sum, limit) => sum + limit.least_time - (limit.before ?? 0) - (limit.after ?? 0), 0);
    /** What any greedy schedule reaches on any number of CPUs. @type {number} */
    this.greedyLimit = binds ? this.work / Math.max(1, withSleep + inLimits) : this.speedupLimit;
    /** Changes have the limits of arenas and global_control, too; not those of older profiles. */
    this.knowsLimits = profile.what_if?.parallelism_now !== undefined;
    /** @type {number} */ this.cpus = profile.run?.cpus ?? 1;
    this.sites = this.#sites();
  }

  /** @returns {Site[]} */
  #sites() {
    /** @type {Json[]} */
    const all = this.profile.sites ?? [];
    const rank = (/** @type {Json} */ site) =>
      Math.max(site.critical_work / (this.span || 1), site.exclusive_work / (this.work || 1));
    const byRank = all.map((site, index) => ({ site, index })).filter(({ index }) => index > 0)
      .sort((a, b) => rank(b.site) - rank(a.site) || a.index - b.index);
    /** @type {Map<number, number>} */
    const colors = new Map(byRank.slice(0, 6).map(({ index }, i) => [index, i + 1]));
    const without = (/** @type {Json} */ site) => String(site.name ?? "").split(" <- ")[0];
    /** @type {Map<string, number>} */
    const alike = new Map();
    for (const site of all) alike.set(without(site), (alike.get(without(site)) ?? 0) + 1);
    return all.map((json, index) => {
      const line = json.line > 0 ? json.name : "";
      const called = json.functions?.length ? shortFunction(json.functions[0]) : "";
      const isMain = index === 0, filter = /^filter \d+(?= of )/.exec(json.name ?? "")?.[0] ?? "";
      const [short, ...wrappers] = String(json.name ?? "").split(" <- ");
      // Sites of one line that differ in their wrapper only: legends and marks have to name it.
      const through = wrappers.length > 0 && (alike.get(short) ?? 0) > 1 ? ` <- ${wrappers.map((each) => /^.*:(\d+)$/.exec(each) ? each.replace(/^.*:/, ":") : shortFunction(each)).join(" <- ")}` : "";
      return {
        index, json, name: json.name, short, wrapper: wrappers.join(" <- "),
        label: isMain ? "outside tasks" : [filter, line ? ":" + json.line : filter ? "" : shortFunction(short), line && !filter ? called : ""].filter(Boolean).join(" ") + through,
        heading: isMain ? "code outside tasks" : [short, line ? called : ""].filter(Boolean).join(" ") + through,
        title: isMain ? "code outside tasks" : [json.name, line ? called : ""].filter(Boolean).join(" "),
        color: isMain ? "site-0" : colors.has(index) ? `site-${colors.get(index)}` : "site-other",
      };
    });
  }

  /** The site of an index into profile.sites; beyond: the rest. @param {number} index @returns {Site} */
  site(index) {
    if (index === LEFT_OUT)
      return { index, name: "left out", short: "left out", wrapper: "", label: "left out", heading: "left out", title: "before the first oneTBB call: left out of the profile (--from first-use)", color: "site-left-out", json: {} };
    return this.sites[index] ??
      { index, name: "other sites", short: "other sites", wrapper: "", label: "other sites", heading: "other sites", title: "other sites", color: "site-other", json: {} };
  }

  /** The lock that leaves the least parallelism (or speedup, where it is slept in its sections), if that is less than the tasks have; none of several of which the schedule may choose one. @returns {Json | undefined} */
  get limitingLock() {
    /** @type {Json | undefined} */ let least;
    for (const lock of this.profile.locks ?? [])
      if (leaves(lock) > 0 && lock.bound_kind !== "if_same_lock" && leaves(lock) < (least === undefined ? this.limit : leaves(least))) least = lock;
    return least;
  }

  /** What it leaves. @returns {number | undefined} */
  get limitByLock() { return this.limitingLock && leaves(this.limitingLock); }

  /** What changes are compared with: the parallelism that tasks, locks, and arenas leave. @returns {number} */
  get now() { return this.profile.what_if?.parallelism_now ?? this.limitByLock ?? this.limit; }

  /** What a what-if does to code, after "were". @param {number} factor */
  improved(factor) {
    return this.profile.what_if?.mode === "optimize" ? factor === 2 ? "twice as fast" : `${factor} times as fast` : `divided among ${factor} CPUs`;
  }

  /** The limit of the program, as its headline says it: with locks and with limits of threads. */
  get today() { return Math.min(this.speedupLimit, this.limitByLock ?? Infinity); }

  /** Names of sites without the wrappers that they were called through, unless they need them to differ. @param {string} text */
  brief(text) {
    return this.sites.some((site) => site.wrapper !== "" && site.label.includes(" <- ") && text.includes(site.name)) ? text : withoutWrappers(text);
  }

  /** An amount of work as text. @param {number} work */
  amount(work) {
    return this.nsPerWork > 0 ? time(work * this.nsPerWork) : `${digits(work)} ${this.profile.unit ?? "units"}`;
  }

  /** "5.00 ms reading files, 1.20 ms until a time by the clock"; the most first. @param {Record<string, number> | undefined} kinds in the unit of work */
  sleptIn(kinds) {
    return Object.entries(kinds ?? {}).filter(([, amount]) => amount > 0).sort((a, b) => b[1] - a[1]).map(([kind, amount]) => `${this.amount(amount)} ${SLEEP[kind] ?? kind}`).join(", ");
  }

  /** @param {number} ticks */
  ticks(ticks) {
    return this.nsPerTick > 0 ? time(ticks * this.nsPerTick) : `${digits(ticks)} ticks`;
  }

  /** More parallelism would gain nothing on any number of CPUs that the page shows. */
  get isAmple() { return (this.profile.verdict?.worth_procs ?? 0) >= 128 && !this.profile.verdict?.is_disproved; }

  /** @returns {Predicted[]} */
  get runs() {
    /** @type {Json[]} */
    const all = [...(this.profile.prediction?.runs ?? []), ...(this.profile.prediction?.scaling ?? [])];
    return all.filter((run, i) => all.findIndex((other) => other.procs === run.procs) === i).sort((a, b) => a.procs - b.procs)
      .map((run) => ({ procs: run.procs, time: run.time, speedup: run.speedup, binds: run.binds, efficiency: run.efficiency_percent }));
  }

  /** The speedup of this run over one thread; undefined if work is not a time.
   * @returns {{procs: number, speedup: number, ns: number} | undefined} */
  get measured() {
    const { measured, trace } = this.profile;
    // More than its CPUs: much of the work was done before the first record, which begins the time.
    if (measured?.speedup > measured?.procs) return undefined;
    if (measured?.speedup > 0) return { procs: measured.procs, speedup: measured.speedup, ns: measured.time_ns };
    const ns = (trace?.elapsed_ticks ?? 0) * this.nsPerTick;
    return ns > 0 && this.nsPerWork > 0 ? { procs: this.cpus, speedup: (this.work * this.nsPerWork) / ns, ns } : undefined;
  }

  /** Marked regions, stretches, sites, waits and grains, in the order of all reports.
   * @returns {Change[]} */
  get changes() {
    const whatIf = this.profile.what_if ?? {};
    const words = /** @type {Record<string, string>} */ ({ site: "all tasks of a site", stretch: "code between tasks",
      wait: "if the code after it did not wait", grain: "with another grain size", lock: "a lock", function: "by samples", threads: "a limit of threads" });
    /** @type {Change[]} */
    const changes = [];
    for (const { kind, index, name, change } of whatIf.changes ?? []) {
      const lock = kind === "lock" ? this.profile.locks?.[index] : undefined;
      const points = lock?.what_if?.filter((/** @type {{change: string}} */ each) => each.change === change);
      const target = lock ? { file: lock.file, line: lock.line, points } : kind === "function" ? this.profile.functions?.[index] : kind === "threads" ? this.profile.limits?.[index] : kind.startsWith("region") ? whatIf.curves?.[index] : kind === "grain" ? whatIf.grains?.[index] : whatIf.explored?.[index];
      if (!target?.points?.length) continue; // the page has the best ones only
      const region = kind === "region" ? this.profile.regions?.[target.regions?.[0]] : undefined;
      const at = region ?? (target.line > 0 ? target : { file: target.from_file, line: target.from_line });
      const place = at.line > 0 ? `${at.file}:${at.line}` : "";
      changes.push({ name, kind, place, points: target.points, critical: (region ?? target).critical_work ?? 0,
        detail: region ? `marked region, ${place}` : kind === "regions" ? "marked regions, together" : words[kind] ?? kind });
    }
    return changes;
  }

  /** The limit that a change would give. @param {Change} change @param {number} factor */
  at(change, factor) {
    return change.points.find((point) => point.factor === factor)?.parallelism;
  }

  /** @param {Change} change */
  most(change) {
    return Math.max(this.now, ...change.points.map((point) => point.parallelism));
  }
}
