// SPDX-License-Identifier: Apache-2.0
// Adds to a profile in JSON what only some profiles have: phases, profiles over the path and over
// time, segments, a timeline, contexts, histograms, source. The numbers are made up, yet they add up.
import { gzipSync } from "node:zlib";

/** A generator of pseudorandom numbers in [0, 1). */
function random(/** @type {number} */ seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function leb(/** @type {number[]} */ bytes, /** @type {number} */ value) {
  while (value >= 128) {
    bytes.push((value % 128) | 128);
    value = Math.floor(value / 128);
  }
  bytes.push(value);
}

export function enriched(/** @type {any} */ real, { threads = 2, slices = 3000, buckets = 960, source = /** @type {string[]} */ ([]), file = "" } = {}) {
  const profile = structuredClone(real), next = random(7);
  const { sites, work, span } = profile;
  const ns = profile.clock.time_hz > 0 ? (profile.trace.elapsed_ticks * 1e9) / profile.clock.time_hz : 1e6;
  const main = sites[0].critical_work, rows = sites.map((/** @type {any} */ _, /** @type {number} */ i) => i).slice(0, 15);
  const before = Math.floor(main * 0.4), after = Math.floor(main * 0.1);
  const within = { work: work - before - after, span: Math.max(1, span - before - after) };
  profile.phases = { before: { work: before, span: before, percent_of_span: (100 * before) / span }, after: { work: after, span: after, percent_of_span: (100 * after) / span },
    with_tasks: { ...within, percent_of_span: (100 * within.span) / span, parallelism: within.work / within.span, divisible_parallelism_at_least: null } };
  const layers = () => rows.map((/** @type {number} */ row) => Array.from({ length: buckets }, (_, b) => {
    const turn = Math.floor(b / 16) % rows.length;
    return row === 0 ? (turn === 0 ? 1 : 0) : turn === row ? Math.round(100 * Math.max(1, sites[row].parallelism) * (0.6 + 0.4 * next())) / 100 : 0;
  }));
  profile.span_profile = { extent: span, buckets, sites: rows, running: layers(), other: new Array(buckets).fill(0) };
  const ready = () => Array.from({ length: buckets }, () => Math.round(200 * next() * next()) / 100);
  profile.time_profile = { extent_ns: Math.round(ns), buckets, sites: rows, running: layers(), other: new Array(buckets).fill(0),
    ready: { create: ready(), create_continue: new Array(buckets).fill(0), wait_continue: ready(), end: new Array(buckets).fill(0) }, no_cpu: new Array(buckets).fill(0) };
  /** @type {number[][]} */
  const segments = [];
  for (let i = 0; i < 240; ++i) segments.push([Math.floor((span * i) / 240), Math.floor((span * (i + 1)) / 240), i % rows.length]);
  profile.critical_path = { segments, least: Math.floor(span / 3000), left_out: 0 };
  profile.run_path.segments = segments.map(([from, to, site], i) => [Math.round((from / span) * ns), Math.round((to / span) * ns), site, i % 5 === 4 ? 1 : 0]);
  profile.timeline = { unit_ns: 100, merged_below_ns: 300, threads: Array.from({ length: threads }, (_, stream) => {
    /** @type {number[]} */
    const bytes = [];
    const mean = ns / 100 / slices;
    for (let i = 0; i < slices; ++i) {
      leb(bytes, Math.floor(mean * 0.4 * next()));
      leb(bytes, Math.max(1, Math.floor(mean * 1.5 * next())));
      leb(bytes, Math.floor(next() * rows.length));
      leb(bytes, 1 + Math.floor(3 * next()));
    }
    return { stream, slices, gzip: gzipSync(Buffer.from(bytes)).toString("base64") };
  }) };
  sites.forEach((/** @type {any} */ site, /** @type {number} */ i) => {
    site.idle_beside_ns = Math.round((ns * (i === 0 ? 0.8 : 0.2)) / (i + 1));
    site.first_begin_ns = i * 1000;
    if (i === 0 || site.invocations === 0) return;
    const weights = Array.from({ length: 30 }, (_, b) => Math.exp(-((b - 18 - (i % 4)) ** 2) / 8));
    const sum = weights.reduce((a, b) => a + b, 0);
    site.task_work = { per_decade: 5, first_ns: 10, tasks: weights.map((weight) => Math.round((weight / sum) * site.invocations)), work: weights.map((weight) => Math.round((weight / sum) * site.exclusive_work)) };
  });
  profile.contexts = [{ parent: 0, site: 0, work: sites[0].exclusive_work, critical_work: sites[0].critical_work, tasks: 0, steps: sites[0].steps }];
  sites.slice(1).forEach((/** @type {any} */ site, /** @type {number} */ i) => profile.contexts.push(
    { parent: i > 2 && i % 3 === 0 ? i - 1 : 0, site: i + 1, work: site.exclusive_work, critical_work: site.critical_work, tasks: site.invocations, steps: site.steps }));
  if (source.length > 0) {
    /** @type {Record<string, string>} */
    const lines = {};
    const wanted = [...sites, ...profile.regions].filter((/** @type {any} */ each) => each.line > 0).map((/** @type {any} */ each) => each.line);
    for (const line of wanted) for (let i = Math.max(1, line - 5); i <= Math.min(source.length, line + 5); ++i) lines[i] = source[i - 1];
    profile.source = [{ name: file, sha256: "", newer_than_program: false, lines }];
  }
  return profile;
}
