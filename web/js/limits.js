// SPDX-License-Identifier: Apache-2.0
// What limits it? The critical path by site as a map (width: share of the path; height: work per
// critical work; so that areas are work), the phases before, with and after tasks, and the tasks
// that could run at a time along the path.
import { scaleLinear, scaleSqrt } from "d3-scale";
import { axis, chart, mark, text, widthOf } from "./chart.js";
import { card, empty, h, s } from "./dom.js";
import { clipped, digits, fitting, percent, tick, times } from "./format.js";
import { functions } from "./functions.js";
import { locks } from "./locks.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{title: string, label: string, color: string, critical: number, height: number, work: number}} Block */

/** @param {HTMLElement} section @param {Model} model */
export function limits(section, model) {
  const map = h("div", { class: "plot" });
  const made = card("Critical path by spawn site", "Width: share of the critical path. Height: tasks that can run at a time there, so that area is work. What is wide and low limits the program.", map);
  const byLock = model.limitByLock !== undefined;
  if (byLock) section.append(locks(model));
  section.append(made);
  const blocks = blocksOf(model);
  if (blocks.length === 0) map.append(empty("No work was recorded, so the critical path is empty."));
  else chart(map, { label: "Critical path by spawn site: width is the share of the path, height the tasks that can run at a time", height: (width) => (width < 520 ? 300 : 320),
    draw: (svg, width, height) => drawMap(svg, width, height, model, blocks) });
  if (model.profile.sampling) section.append(functions(model));
  section.append(phases(model));
  section.append(along(model));
  if (!model.profile.sampling) section.append(functions(model));
  if (!byLock) section.append(locks(model));
}

/** @param {Model} model @returns {Block[]} */
function blocksOf(model) {
  /** @type {Block[]} */
  const blocks = [];
  let rest = 0, restWork = 0, others = 0;
  for (const site of model.sites) {
    const { critical_work: critical, exclusive_work: work } = site.json;
    if (!(critical > 0)) continue;
    if (site.index > 0 && blocks.length > 14) {
      rest += critical;
      restWork += work;
      ++others;
    } else if (site.index === 0 && marked(model).length > 0) {
      let others = critical;
      for (const region of marked(model)) {
        blocks.push({ title: `marked region ${region.names?.[0] ?? ""} (${region.file}:${region.line})`, label: String(region.names?.[0] || `:${region.line}`), color: site.color, critical: region.critical_work, height: work / critical, work: (region.critical_work * work) / critical });
        others -= region.critical_work;
      }
      if (others > 0) blocks.push({ title: "code outside tasks, not in a marked region", label: "other code outside tasks", color: site.color, critical: others, height: work / critical, work: (others * work) / critical });
    } else if (site.index === 0 && split(model)) {
      for (const [name, label, amount] of split(model) ?? [])
        if (amount > 0) blocks.push({ title: `code outside tasks, ${name}`, label, color: site.color, critical: amount, height: work / critical, work: amount * work / critical });
    } else blocks.push({ title: site.title, label: site.label, color: site.color, critical, height: work / critical, work });
  }
  if (others > 0) blocks.push({ title: `${others} other sites`, label: `${others} other sites`, color: "site-other", critical: rest, height: restWork / rest, work: restWork });
  return blocks;
}

/** The marked regions that are only in code outside tasks, and a fiftieth of the path or more.
 * @param {Model} model @returns {any[]} */
function marked(model) {
  const main = model.sites[0]?.json.critical_work ?? 0;
  const found = (model.profile.regions ?? []).filter((/** @type {any} */ region) => region.sites?.length === 1 && region.sites[0] === 0 && region.critical_work * 50 >= model.span);
  return found.reduce((/** @type {number} */ sum, /** @type {any} */ region) => sum + region.critical_work, 0) <= main ? found.slice(0, 4) : [];
}

/** Code outside tasks in three parts, if the phases are known. @param {Model} model @returns {[string, string, number][] | undefined} */
function split(model) {
  const { phases: all, sites } = model.profile;
  const main = sites?.[0]?.critical_work ?? 0;
  if (!all?.before || !all?.after) return undefined;
  const before = all.before.span ?? 0, after = all.after.span ?? 0;
  if (before + after > main) return undefined;
  return [["before the first task", "before tasks", before], ["between tasks", "between tasks", main - before - after], ["after the last task", "after tasks", after]];
}

/** @param {SVGSVGElement} svg @param {number} width @param {number} height @param {Model} model @param {Block[]} blocks */
function drawMap(svg, width, height, model, blocks) {
  const left = 40, right = 10, bottom = 40;
  const highest = Math.max(...blocks.map((block) => block.height));
  const most = Math.max(1.5, Math.min(highest, 3 * model.limit), model.limit / 1.08) * 1.08;
  const cut = highest > most, top = cut || model.limit > most * 0.9 ? 44 : 30;
  const x = scaleLinear([0, model.span], [left, width - right]);
  const y = scaleLinear([0, most], [height - bottom, top]);
  axis(svg, "left", y, { at: left, ticks: 5, grid: width - left - right, format: (value) => String(value) });
  axis(svg, "bottom", scaleLinear([0, 100], x.range()), { at: height - bottom, ticks: width < 520 ? 4 : 8, format: (value) => `${value}\u00a0%` });
  text(svg, 2, 12, "tasks at a time", "axis-title");
  text(svg, width - right, height - 5, "share of the critical path", "axis-title", "end");
  const limit = y(Math.min(model.limit, most));
  svg.append(s("line", { class: "limit-line", x1: left, x2: width - right, y1: limit, y2: limit }));
  let at = 0;
  for (const block of blocks) {
    const x0 = x(at), wide = Math.max(0.75, x(at + block.critical) - x0);
    const tall = Math.min(block.height, most), y0 = y(tall), clippedBlock = block.height > most;
    at += block.critical;
    svg.append(mark(s("rect", { class: `${block.color} block`, x: x0 + (wide > 3 ? 0.5 : 0), y: y0, width: wide > 3 ? wide - 1 : wide, height: Math.max(1, y(0) - y0) }),
      `${block.title}\n${percent(block.critical, model.span)} of the critical path, ${model.amount(block.critical)}\n${digits(block.height)} tasks at a time\nwork ${model.amount(block.work)}`));
    if (clippedBlock) svg.append(s("path", { class: "cut", d: `M${x0} ${y0 + 5}l${wide / 4} -4l${wide / 4} 4l${wide / 4} -4l${wide / 4} 4` }));
    // What would be crossed by the line of the limit stands in the block.
    const crossed = !clippedBlock && limit < y0 + 3 && limit > y0 - 19;
    const share = percent(block.critical, model.span), room = y(0) - y0;
    const label = `${block.label} ${share}${crossed && wide > 120 && room > 21 ? `, ${times(block.height)}` : ""}`;
    if (wide > 46 && room > 21) {
      if (!crossed) text(svg, x0 + wide / 2, y0 - 5, (clippedBlock ? "▲ " : "") + times(block.height), "small", "middle");
      if (widthOf(label, 12.5) < wide - 8 || room < 90) text(svg, x0 + wide / 2, y(0) - Math.min(room / 2, 40) + 4, fitting(wide - 8, 12.5, label, block.label, share), `label on ${block.color}`, "middle");
      else vertical(svg, x0 + wide / 2, y(0) - 8, [label, block.label], block.color, room);
    } else if (wide > 46) {
      text(svg, x0 + 3, y0 - 6, fitting(wide - 6, 13, `${label}, ${times(block.height)}`, label, block.label, share), "label strong");
    } else if (wide > 15 && room > 60) vertical(svg, x0 + wide / 2, y(0) - 8, [label, block.label], block.color, room);
  }
  const words = `average ${digits(model.limit)}: the limit${model.isLimited ? " without those of threads" : model.limitByLock === undefined ? "" : " without locks"}`, space = s("rect", { class: "plate", x: left + 4, y: limit - 20, width: widthOf(words, 13) + 10, height: 17, rx: 3 });
  svg.append(space);
  text(svg, left + 9, limit - 7, words, "label strong");
  if (cut) text(svg, width - right, 12, "▲ taller than three times the limit: cut", "axis-title", "end");
}

/** @param {SVGSVGElement} svg @param {number} x @param {number} y @param {string[]} labels the first that fits @param {string} color @param {number} room */
function vertical(svg, x, y, labels, color, room) {
  const element = text(svg, 0, 0, fitting(room - 12, 11.8, ...labels) || clipped(labels[labels.length - 1], Math.floor((room - 12) / 6.6)), `label on ${color}`);
  element.setAttribute("transform", `translate(${x + 4.5},${y}) rotate(-90)`);
}

/** @param {Model} model */
function phases(model) {
  if (model.work === 0) return card("Before, with and after tasks", "", empty("No work was recorded."));
  const { phases: all } = model.profile;
  if (!all?.with_tasks) return card("Before, with and after tasks", "", empty("This profile does not have the phases of the run."));
  const { before = {}, with_tasks: within, after = {} } = all;
  const host = h("div", { class: "plot" });
  /** @type {[string, any, string][]} */
  const parts = [["before the first task", before, "phase-serial"], ["with tasks", within, "phase-tasks"], ["after the last task", after, "phase-serial"]];
  chart(host, { label: "Critical path before, with and after tasks", height: 32, draw: (svg, width) => {
    let at = 0;
    const x = scaleLinear([0, model.span || 1], [0, width]);
    for (const [name, phase, kind] of parts) {
      const wide = x(phase.span ?? 0);
      if (!(wide > 0)) continue;
      const parallel = kind === "phase-tasks" ? `parallelism ${digits(phase.parallelism ?? phase.work / phase.span)}` : "one at a time";
      svg.append(mark(s("rect", { class: kind, x: at, y: 0, width: Math.max(1, wide - 1), height: 30, rx: 2 }),
        `${name}\n${percent(phase.span, model.span)} of the critical path, ${model.amount(phase.span)}\n${parallel}, work ${model.amount(phase.work ?? phase.span)}`));
      const share = percent(phase.span, model.span), label = fitting(wide - 12, 13, `${name} ${share}`, share);
      if (label) text(svg, at + 7, 20, label, `label ${kind}`);
      at += wide;
    }
  } });
  const words = h("p", { class: "legend" }, ...parts.filter(([, phase]) => phase.span > 0).map(([name, phase, kind]) =>
    h("span", {}, h("i", { class: `swatch ${kind}` }), `${name} ${percent(phase.span, model.span)}, ${kind === "phase-tasks" ? `parallelism ${digits(phase.parallelism ?? phase.work / phase.span)}` : "one at a time"}`)));
  const serial = (before.span ?? 0) + (after.span ?? 0), between = within.parallelism ?? within.work / within.span;
  return card("Before, with and after tasks", serial > model.span / 20
    ? `Code before the first and after the last task is ${percent(serial, model.span)} of the critical path. Between them parallelism is ${digits(between)}; as a whole it is ${digits(model.limit)}.`
    : `Between the first and the last task parallelism is ${digits(between)}.`, host, words);
}

/** Tasks along the critical path, stacked by site. @param {Model} model */
function along(model) {
  const profile = model.profile.span_profile;
  const host = h("div", { class: "plot" });
  const made = card("Tasks along the critical path", "How many tasks would run at a time on any number of CPUs, from the start of the critical path to its end.", host);
  if (model.work === 0 || !profile?.running?.length) {
    host.append(empty(model.work === 0 ? "No work was recorded, so the critical path is empty." : "This profile does not have the tasks along the critical path."));
    return made;
  }
  chart(host, { label: "Tasks that run at a time along the critical path, by site", height: 190, draw: (svg, width, height) =>
    stacked(svg, { left: 40, right: 10, top: 20, bottom: 24, width, height }, model, profile, model.nsPerWork > 0 ? tick : (value) => digits(value), profile.extent * (model.nsPerWork || 1)) });
  made.append(legend(model, profile.sites, profile.other));
  return made;
}

/** Which color is which site, for charts whose marks are too small for labels. @param {Model} model @param {number[]} sites @param {number[]} [other] @param {[string, string][]} [more] class and name of other colors */
export function legend(model, sites, other, more = []) {
  const shown = sites.map((index) => model.site(index)).filter((site) => site.color !== "site-other");
  const rest = other?.some((value) => value > 0) || shown.length < sites.length;
  return h("p", { class: "legend" }, ...shown.map((site) => h("span", {}, h("i", { class: `swatch ${site.color}` }), clipped(site.label, 34))),
    rest ? h("span", {}, h("i", { class: "swatch site-other" }), "other sites") : null,
    ...more.map(([kind, name]) => h("span", {}, h("i", { class: `swatch ${kind}` }), name)));
}

/**
 * Layers of `running`, each with a value per bucket, stacked; a mark per part of the width.
 * @param {SVGSVGElement} svg @param {{left: number, right: number, top: number, bottom: number, width: number, height: number}} box
 * @param {Model} model @param {any} profile @param {(value: number) => string} unit @param {number} extent
 */
export function stacked(svg, box, model, profile, unit, extent) {
  const { left, right, top, bottom, width, height } = box;
  /** @type {number[][]} */
  const given = profile.other ? [...profile.running, profile.other] : profile.running;
  // Whatever the unit of a bucket: on average as many tasks run as work per critical path.
  const sum = given.reduce((/** @type {number} */ all, /** @type {number[]} */ layer) => all + layer.reduce((a, b) => a + b, 0), 0);
  const factor = sum > 0 ? (model.limit * given[0].length) / sum : 1;
  const layers = given.map((/** @type {number[]} */ layer) => layer.map((value) => value * factor));
  const buckets = layers[0].length;
  const total = Array.from({ length: buckets }, (_, i) => layers.reduce((sum, layer) => sum + (layer[i] ?? 0), 0));
  const sorted = [...total].sort((a, b) => a - b);
  const highest = Math.max(1, sorted[buckets - 1] ?? 1), usual = sorted[Math.floor(buckets * 0.98)] ?? highest;
  const most = highest > 4 * usual && usual > 1 ? usual * 2 : highest;
  const x = scaleLinear([0, buckets], [left, width - right]);
  const root = most > 24;
  // Roots keep serial code visible next to a thousand tasks.
  const y = (root ? scaleSqrt : scaleLinear)([0, most * 1.05], [height - bottom, top]).clamp(true);
  axis(svg, "left", y, { at: left, ...(most < 4.5 ? { values: [0, 1, 2, 3, 4].filter((each) => each <= most * 1.05) } : { ticks: 4 }), grid: width - left - right, format: (value) => (value >= 1000 ? `${value / 1000}k` : String(value)) });
  axis(svg, "bottom", scaleLinear([0, extent], x.range()), { at: height - bottom, ticks: width < 520 ? 3 : 6, format: unit });
  text(svg, 2, 12, root ? "tasks at a time (square root)" : "tasks at a time", "axis-title");
  const base = new Array(buckets).fill(0);
  layers.forEach((layer, i) => {
    const site = i < profile.sites.length ? model.site(profile.sites[i]) : model.site(-1);
    let up = "", down = "";
    for (let b = 0; b < buckets; ++b) {
      const low = base[b], high = low + (layer[b] ?? 0);
      const x0 = x(b).toFixed(1), x1 = x(b + 1).toFixed(1);
      up += `${b === 0 ? "M" : "L"}${x0} ${y(high).toFixed(1)}H${x1}`;
      down = `L${x1} ${y(low).toFixed(1)}H${x0}` + down;
      base[b] = high;
    }
    svg.append(s("path", { class: site.color, d: up + down + "Z" }));
  });
  if (most < highest) text(svg, width - right, 12, `peaks up to ${digits(highest)} are cut`, "axis-title", "end");
  const columns = Math.min(24, buckets);
  for (let c = 0; c < columns; ++c) {
    const from = Math.floor((c * buckets) / columns), to = Math.max(from + 1, Math.floor(((c + 1) * buckets) / columns));
    const mean = (/** @type {number[]} */ layer) => layer.slice(from, to).reduce((a, b) => a + b, 0) / (to - from);
    const parts = layers.map((layer, i) => ({ value: mean(layer), name: i < profile.sites.length ? model.site(profile.sites[i]).title : "other sites" }))
      .filter((part) => part.value > 0.005).sort((a, b) => b.value - a.value).slice(0, 5);
    svg.append(mark(s("rect", { class: "hit column", x: x(from), y: top, width: x(to) - x(from), height: height - top - bottom }),
      `${unit((extent * from) / buckets)} to ${unit((extent * to) / buckets)}: ${digits(mean(total))} on average\n${parts.map((part) => `${digits(part.value)} ${clipped(part.name, 50)}`).join("\n")}`));
  }
  return { x, y };
}
