// SPDX-License-Identifier: Apache-2.0
// Who spawns whom? The tasks of a run contracted: a line is code of the level's own, a bundle is a
// site with all its tasks; a bundle opens into its own level (DAGViz). Below, an icicle: work upward,
// critical path downward.
import { scaleLinear } from "d3-scale";
import { chart, mark, text } from "./chart.js";
import { card, empty, h, s } from "./dom.js";
import { clipped, count, counted, fitting, percent } from "./format.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{index: number, site: number, depth: number, children: Node_[], own: number, ownCritical: number, work: number, critical: number, tasks: number}} Node_ */

/** @param {HTMLElement} section @param {Model} model */
export function structure(section, model) {
  const root = treeOf(model);
  if (model.work === 0) {
    section.append(card("Tasks and the tasks they create", "", empty("No work was recorded, so there is nothing to draw.")));
    return;
  }
  if (!root) {
    section.append(card("Tasks and the tasks they create", "", empty("This profile does not have calling contexts: a page that tp-report makes from a data directory has them.")));
    return;
  }
  if (root.children.length === 0) {
    section.append(card("Tasks and the tasks they create", "", empty("No tasks were recorded, so there is nothing below the code outside tasks.")));
    return;
  }
  section.append(levels(model, root), icicle(model, root));
}

/** @param {Model} model @returns {Node_ | undefined} */
function treeOf(model) {
  /** @type {any[]} */
  const rows = model.profile.contexts ?? [];
  if (rows.length === 0) return undefined;
  /** @type {Node_[]} */
  const nodes = rows.map((row, index) => ({ index, site: row.site ?? -1, depth: 0, children: [], own: row.work, ownCritical: row.critical_work, work: row.work, critical: row.critical_work, tasks: row.tasks }));
  for (let i = 1; i < nodes.length; ++i) {
    const parent = nodes[rows[i].parent];
    nodes[i].depth = parent.depth + 1;
    parent.children.push(nodes[i]);
  }
  for (let i = nodes.length - 1; i > 0; --i) {
    nodes[rows[i].parent].work += nodes[i].work;
    nodes[rows[i].parent].critical += nodes[i].critical;
  }
  const first = firstOf(model);
  for (const node of nodes) node.children.sort((a, b) => (first.get(a.site) ?? Infinity) - (first.get(b.site) ?? Infinity) || b.critical - a.critical || b.work - a.work);
  return nodes[0];
}

/** Where on the critical path, or in time, each site comes first. @param {Model} model @returns {Map<number, number>} */
function firstOf(model) {
  /** @type {Map<number, number>} */
  const first = new Map();
  for (const [from, , site] of model.profile.critical_path?.segments ?? []) if (!first.has(site)) first.set(site, from);
  if (first.size === 0) for (const site of model.sites) if (site.json.first_begin_ns !== undefined) first.set(site.index, site.json.first_begin_ns);
  return first;
}

/**
 * Code outside tasks on the critical path: before the first site, and after each.
 * @param {Model} model @param {Node_[]} shown @returns {number[] | undefined}
 */
function ownBetween(model, shown) {
  /** @type {[number, number, number][]} */
  const segments = model.profile.critical_path?.segments ?? [];
  const lines = new Array(shown.length + 1).fill(0);
  const place = new Map(shown.map((child, i) => [child.site, i + 1]));
  let line = 0;
  for (const [from, to, site] of segments) {
    line = place.get(site) ?? line;
    if (site === 0) lines[line] += to - from;
  }
  // Also if the last bundles are not on the path.
  const [from, to, site] = segments[segments.length - 1] ?? [0, 0, -1];
  if (site === 0 && line < shown.length) {
    lines[line] -= to - from;
    lines[shown.length] += to - from;
  }
  // Short segments were left out of the profile: the sum is that of the site.
  const sum = lines.reduce((a, b) => a + b, 0), own = model.sites[0]?.json.critical_work ?? 0;
  return sum > 0 ? lines.map((each) => (each * own) / sum) : undefined;
}

/** The marked region that is most of a line for certain: what of it does not fit in the other lines.
 * @param {Model} model @param {number} line work of the line @param {number} own of all lines */
function ownOf(model, line, own) {
  const region = (model.profile.regions ?? []).find((/** @type {any} */ each) => each.sites?.length === 1 && each.sites[0] === 0 && each.critical_work - (own - line) > line / 2);
  return region ? clipped(String(region.names?.[0] ?? `:${region.line}`), 30) : "";
}

/** @param {Model} model @param {Node_} node */
const nameOf = (model, node) => (node.index === 0 ? "code outside tasks" : model.site(node.site).title);

/** @param {Model} model @param {Node_} root */
function levels(model, root) {
  const host = h("div", { class: "levels" });
  /** @type {Node_[]} */
  const open = [root];
  const show = () => {
    const made = open.map((node, depth) => level(model, node, open[depth + 1], (child) => {
      const again = open[depth + 1] === child;
      open.length = depth + 1;
      if (!again && child.children.length > 0) open.push(child);
      show();
      const levelsNow = host.querySelectorAll(".level");
      const back = levelsNow[depth]?.querySelector(`[data-node="${child.index}"]`);
      if (back instanceof SVGElement) back.focus();
    }));
    host.replaceChildren(...made.map((each) => each.host));
    for (const each of made) each.redraw();
  };
  show();
  return card("Tasks and the tasks they create", "A line is code of the level itself, a bundle is a spawn site with all its tasks. Length is the share of the critical path; below, the number of tasks and that share."
    + (root.children.some((child) => child.children.length > 0) ? " A bundle with a + opens." : ""), host);
}

/** @param {Model} model @param {Node_} node @param {Node_ | undefined} opened @param {(child: Node_) => void} toggle */
function level(model, node, opened, toggle) {
  const host = h("div", { class: "level plot" });
  if (node.index > 0) host.append(h("p", { class: "note" }, `Within ${clipped(nameOf(model, node), 80)}:`));
  const total = node.critical || node.work || 1;
  const value = (/** @type {Node_} */ each) => (node.critical > 0 ? each.critical : each.work);
  const own = node.critical > 0 ? node.ownCritical : node.own;
  const { redraw } = chart(host, { label: `What ${clipped(nameOf(model, node), 60)} creates, in order`, height: 118, draw: (svg, width, height) => {
    const room = width - 8, least = Math.max(width < 520 ? 44 : 64, Math.min(112, (room * 0.55) / Math.max(1, node.children.length)));
    const most = Math.max(1, Math.floor(room / (least + 12)));
    const children = node.children.length > most ? [...node.children].sort((a, b) => value(b) - value(a)).slice(0, most) : node.children;
    const shown = node.children.filter((each) => children.includes(each));
    const lines = shown.length + 1, y = 44;
    const fixed = shown.length * least + lines * 8;
    const free = Math.max(0, room - fixed);
    const { phases } = model.profile;
    const outer = node.index === 0 && phases?.before && phases?.after ? [phases.before.span, phases.after.span] : undefined;
    const inner = outer ? Math.max(0, own - outer[0] - outer[1]) : own;
    const between = node.index === 0 ? ownBetween(model, shown) : undefined;
    const line = (/** @type {number} */ i) => {
      if (between) return between[i];
      if (!outer || lines < 2) return inner / lines;
      if (i === 0) return outer[0];
      if (i === lines - 1) return outer[1];
      return lines > 2 ? inner / (lines - 2) : 0;
    };
    let at = 4;
    const color = node.index === 0 ? "site-0" : model.site(node.site).color;
    for (let i = 0; i < lines; ++i) {
      const wide = 8 + (free * line(i)) / total;
      svg.append(s("rect", { class: color, x: at, y: y - 2.5, width: wide + 1, height: 5 }));
      if (wide > 90 && (between || outer)) {
        const known = node.index === 0 ? ownOf(model, line(i), own) : "", share = percent(line(i), total);
        text(svg, at + wide / 2, y - 10, fitting(wide, 12, ...(known ? [`${share} own code, mostly ${known}`, `${share}, mostly ${known}`] : []), `${share} own code`), "small", "middle");
      }
      at += wide;
      const child = shown[i];
      if (!child) continue;
      const length = least + (free * value(child)) / total;
      svg.append(bundle(model, child, at, y, length, total, value(child), child === opened, toggle));
      const site = model.site(child.site);
      // A gap of 8 pixels to the next label is the least.
      const fits = Math.floor(length / 7.4);
      const label = site.label.length <= fits ? site.label : site.json.line > 0 && fits < 14 ? `:${site.json.line}` : clipped(site.label, fits);
      text(svg, at + length / 2, height - 31, label, "label strong", "middle");
      const tasks = counted(child.tasks, "task");
      text(svg, at + length / 2, height - 16, tasks.length > fits + 1 ? count(child.tasks) : tasks, "small", "middle");
      text(svg, at + length / 2, height - 2, percent(value(child), total), "small", "middle");
      at += length;
    }
    if (shown.length < node.children.length) text(svg, width - 4, 12, node.children.length - shown.length === 1 ? "1 smaller site is not drawn" : `${node.children.length - shown.length} smaller sites are not drawn`, "axis-title", "end");
  } });
  return { host, redraw };
}

/** @param {Model} model @param {Node_} child @param {number} x @param {number} y @param {number} length @param {number} total @param {number} value @param {boolean} open @param {(child: Node_) => void} toggle */
function bundle(model, child, x, y, length, total, value, open, toggle) {
  const strands = Math.max(1, Math.min(7, child.tasks)), tall = child.tasks > 1 ? 26 : 0;
  const site = model.site(child.site);
  const group = mark(s("g", { class: `bundle ${site.color}`, "data-node": child.index }),
    `${site.title}\n${count(child.tasks)} tasks, ${percent(value, total)} of the level above\nwork ${model.amount(child.work)}, critical ${model.amount(child.critical)}${child.children.length > 0 ? `\ncreates tasks of ${child.children.length} site${child.children.length === 1 ? "" : "s"}` : ""}`);
  group.append(s("rect", { class: "hit", x, y: y - 34, width: length, height: 68 }));
  for (let i = 0; i < strands; ++i) {
    const off = strands === 1 ? 0 : tall * ((2 * i) / (strands - 1) - 1);
    group.append(s("path", { class: "strand", d: `M${x} ${y}C${x + length * 0.22} ${y} ${x + length * 0.18} ${y + off} ${x + length * 0.38} ${y + off}H${x + length * 0.62}C${x + length * 0.82} ${y + off} ${x + length * 0.78} ${y} ${x + length} ${y}` }));
  }
  if (child.children.length > 0) {
    group.setAttribute("role", "button");
    group.setAttribute("aria-expanded", String(open));
    group.append(s("circle", { class: "knob", cx: x + length / 2, cy: y, r: 8.5 }), s("text", { class: "knob-sign", x: x + length / 2, y: y + 4.5, "text-anchor": "middle", "aria-hidden": "true" }, open ? "−" : "+"));
    group.classList.add("opens");
    group.addEventListener("click", () => toggle(child));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle(child);
    });
  }
  return group;
}

/** @param {Model} model @param {Node_} root */
function icicle(model, root) {
  const host = h("div", { class: "plot" });
  /** @type {{node: Node_, from: number, share: number}[]} */
  const up = [];
  /** @type {typeof up} */
  const down = [];
  let pruned = 0;
  const LEAST = 0.002, DEEPEST = 12;
  const place = (/** @type {Node_} */ node, /** @type {number} */ from, /** @type {"work" | "critical"} */ key, /** @type {typeof up} */ into) => {
    const share = node[key] / (root[key] || 1);
    if (share < LEAST || node.depth > DEEPEST) {
      if (share > 0 && key === "work") ++pruned;
      return;
    }
    into.push({ node, from, share });
    let at = from;
    for (const child of [...node.children].sort((a, b) => b[key] - a[key])) {
      place(child, at, key, into);
      at += child[key] / (root[key] || 1);
    }
  };
  place(root, 0, "work", up);
  place(root, 0, "critical", down);
  const row = 24, above = Math.max(...up.map((each) => each.node.depth)) + 1, below = Math.max(0, ...down.map((each) => each.node.depth)) + 1;
  chart(host, { label: "Work above and critical path below, by calling context", height: (above + below) * row + 26, draw: (svg, width) => {
    const x = scaleLinear([0, 1], [0, width]), middle = above * row;
    for (const [list, direction] of /** @type {[typeof up, number][]} */ ([[up, -1], [down, 1]]))
      for (const { node, from, share } of list) {
        const y = direction < 0 ? middle - (node.depth + 1) * row : middle + 24 + node.depth * row;
        const wide = x(share), site = model.site(node.site), color = node.index === 0 ? "site-0" : site.color;
        const name = node.index === 0 ? "whole program" : site.label;
        svg.append(mark(s("rect", { class: color, x: x(from), y, width: Math.max(0.6, wide - 1), height: row - 1.5, rx: 1.5 }),
          `${nameOf(model, node)}\n${direction < 0 ? "work" : "critical path"}: ${percent(share)} with all below\nown ${direction < 0 ? "work" : "part of the critical path"}: ${model.amount(direction < 0 ? node.own : node.ownCritical)}\n${count(node.tasks)} tasks`));
        const label = `${name} ${percent(share)}`, fits = Math.floor((wide - 8) / 6.9);
        if (fits >= 5) text(svg, x(from) + 5, y + 16, fitting(wide - 8, 12.5, label, name) || (fits >= 14 ? clipped(name, fits) : fitting(wide - 8, 12.5, percent(share))), `label on ${color}`);
      }
    text(svg, 0, middle + 16, `↑ work ${model.amount(root.work)}`, "label strong");
    text(svg, width, middle + 16, `critical path ${model.amount(root.critical)} ↓`, "label strong", "end");
  } });
  return card("Work above, critical path below", "Each bar includes what its tasks create. What is wider below than above limits scaling.", host, pruned > 0 ? h("p", { class: "note after" }, `${counted(pruned, "context")} with under 0.2\u00a0% of the work ${pruned === 1 ? "is" : "are"} not drawn.`) : null);
}
