// SPDX-License-Identifier: Apache-2.0
// The profile as the sections read it: sites with their labels and colors, units, and the figures
// that several sections share. Computes nothing but quotients of what the JSON contains.
import { digits, time } from "./format.js";

/** JSON of schema taskpath.profile/1. @typedef {Record<string, any>} Json */

/**
 * @typedef {object} Site
 * @property {number} index in the profile
 * @property {string} name as the profile has it: "main" or FILE:LINE
 * @property {string} label short, for marks
 * @property {string} title for sentences: "image_pipeline.cpp:66 blur"
 * @property {string} color class of its color
 * @property {Json} json
 */

/** @typedef {{procs: number, time: number, speedup: number, binds: string, efficiency: number}} Predicted */
/** @typedef {{name: string, kind: string, place: string, points: {factor: number, parallelism: number, predicted?: {procs: number, time: number}[]}[], critical: number, detail: string}} Change */

/** The last component of a qualified name, without template arguments. @param {string} name */
export function shortFunction(name) {
  let text = name.replace(/\(anonymous namespace\)::/g, "");
  for (let last = ""; last !== text && text.length < 2000; ) {
    last = text;
    text = text.replace(/<[^<>]*>/g, "");
  }
  text = text.replace(/\(.*$/, "");
  return text.split("::").pop() || name;
}

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
    return all.map((json, index) => {
      const line = json.line > 0 ? json.name : "";
      const called = json.functions?.length ? shortFunction(json.functions[0]) : "";
      const isMain = index === 0;
      return {
        index, json, name: json.name,
        label: isMain ? "outside tasks" : [line ? ":" + json.line : json.name, called].filter(Boolean).join(" "),
        title: isMain ? "code outside tasks" : [json.name, called].filter(Boolean).join(" "),
        color: isMain ? "site-0" : colors.has(index) ? `site-${colors.get(index)}` : "site-other",
      };
    });
  }

  /** The site of an index into profile.sites; beyond: the rest. @param {number} index @returns {Site} */
  site(index) {
    return this.sites[index] ??
      { index, name: "other sites", label: "other sites", title: "other sites", color: "site-other", json: {} };
  }

  /** An amount of work as text. @param {number} work */
  amount(work) {
    return this.nsPerWork > 0 ? time(work * this.nsPerWork) : `${digits(work)} ${this.profile.unit ?? "units"}`;
  }

  /** @param {number} ticks */
  ticks(ticks) {
    return this.nsPerTick > 0 ? time(ticks * this.nsPerTick) : `${digits(ticks)} ticks`;
  }

  /** More parallelism would gain nothing on any number of CPUs that the page shows. */
  get isAmple() { return (this.profile.verdict?.worth_procs ?? 0) >= 128; }

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

  /** Marked regions, stretches, sites, waits and grains, without those that repeat another.
   * @returns {Change[]} */
  get changes() {
    const whatIf = this.profile.what_if ?? {};
    /** @type {Change[]} */
    const changes = [];
    for (const curve of whatIf.curves ?? []) {
      if (curve.all || curve.regions?.length !== 1) continue;
      const region = this.profile.regions?.[curve.regions[0]];
      if (!region) continue;
      const place = `${region.file}:${region.line}`;
      changes.push({ name: region.names?.[0] ?? place, kind: "region", place, points: curve.points,
        critical: region.critical_work ?? 0, detail: `marked region, ${place}` });
    }
    const words = /** @type {Record<string, string>} */ ({ site: "all tasks of a site", stretch: "code between tasks",
      wait: "if the code after it did not wait", grain: "with another grain size" });
    // What is plainer comes first: of two with the same figures it stays.
    const order = ["site", "stretch", "main", "wait", "grain"];
    const rank = (/** @type {Json} */ target) => order.indexOf(target.kind === "site" && target.name === "main" ? "main" : target.kind);
    /** @type {Json[]} */
    const targets = [...(whatIf.explored ?? []), ...(whatIf.grains ?? [])];
    for (const target of targets.sort((a, b) => rank(a) - rank(b))) {
      const isMain = target.kind === "site" && target.name === "main";
      changes.push({ name: isMain ? "all code outside tasks" : target.name, kind: target.kind,
        place: target.line > 0 ? `${target.file}:${target.line}` : target.from_line > 0 ? `${target.from_file}:${target.from_line}` : "",
        points: target.points ?? [], critical: target.critical_work ?? 0, detail: words[target.kind] ?? target.kind });
    }
    return changes.filter((change, i) => !changes.slice(0, i).some((other) => repeats(change, other)));
  }

  /** The limit that a change would give. @param {Change} change @param {number} factor */
  at(change, factor) {
    return change.points.find((point) => point.factor === factor)?.parallelism;
  }

  /** @param {Change} change */
  most(change) {
    return Math.max(this.limit, ...change.points.map((point) => point.parallelism));
  }
}

/** Whether two changes are of the same code, as far as figures show. @param {Change} a @param {Change} b */
function repeats(a, b) {
  if (a.points.length === 0 || b.points.length === 0 || (a.points.length === 1) !== (b.points.length === 1)) return false;
  const shared = a.points.filter((point) => b.points.some((other) => other.factor === point.factor));
  return shared.length > 0 && shared.every((point) => {
    const other = b.points.find((each) => each.factor === point.factor);
    return other !== undefined && Math.abs(other.parallelism / point.parallelism - 1) < 0.015;
  }) && Math.abs(a.critical - b.critical) <= 0.02 * Math.max(a.critical, b.critical);
}
