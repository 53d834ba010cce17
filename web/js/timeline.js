// SPDX-License-Identifier: Apache-2.0
// The run over time, on one canvas no larger than the window: tasks that run or are ready, the path
// of the run as a ribbon, and a lane per thread. Zooms by buttons, keys, dragging, and the wheel with
// Ctrl. At each zoom a pixel shows the site that takes most of it.
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { card, empty, h } from "./dom.js";
import { clipped, count, digits, percent, tick as tickText, time } from "./format.js";
import { legend } from "./limits.js";
import { LEFT_OUT } from "./model.js";

/** @typedef {import("./model.js").Model} Model */
/** Slices of one lane: times in ns. @typedef {{name: string, from: Float64Array, to: Float64Array, site: Uint32Array, kind?: Uint8Array, steps?: Uint32Array}} Lane */

const LANES = 32, LEFT = 74, RIGHT = 8, AXIS = 24, STRIP = 20;
/** @type {string[]} */
const KINDS = ["running", "a new task waited", "waited to go on after creating a task", "waited to go on after its tasks", "waited for another task", "held up within a task", "waited for a lock"];

/** Bytes of base64 of gzip. @param {string} text @returns {Promise<Uint8Array>} */
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {any} thread @param {number} unit ns @returns {Promise<Lane>} */
export async function laneOf(thread, unit) {
  const bytes = await unpacked(thread.gzip ?? "");
  const n = thread.slices ?? 0;
  const lane = { name: `thread ${thread.stream}`, from: new Float64Array(n), to: new Float64Array(n), site: new Uint32Array(n), steps: new Uint32Array(n) };
  let position = 0, now = 0;
  const next = () => {
    let value = 0, scale = 1;
    for (;;) {
      const byte = bytes[position++];
      value += (byte & 127) * scale;
      if (byte === undefined || byte < 128) return value;
      scale *= 128;
    }
  };
  for (let i = 0; i < n; ++i) {
    now += next();
    lane.from[i] = now * unit;
    now += next();
    lane.to[i] = now * unit;
    lane.site[i] = next();
    lane.steps[i] = next();
  }
  return lane;
}

/** @param {any[]} segments [from_ns, to_ns, site, kind] @returns {Lane} */
function ribbonOf(segments) {
  return { name: "path of run", from: Float64Array.from(segments, (each) => each[0]), to: Float64Array.from(segments, (each) => each[1]),
    site: Uint32Array.from(segments, (each) => each[2] >>> 0), kind: Uint8Array.from(segments, (each) => each[3]) };
}

/** Index of the first slice that ends after `at`. @param {Lane} lane @param {number} at */
function firstAfter(lane, at) {
  let low = 0, high = lane.to.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.to[middle] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @param {HTMLElement} section @param {Model} model */
export async function timeline(section, model) {
  const { timeline: data, time_profile: load, run_path: path } = model.profile;
  const made = card("Over time", "");
  section.append(made);
  if (model.work === 0 || (!data?.threads?.length && !load?.running?.length)) {
    made.append(empty(model.work === 0 ? "No work was recorded, so there is no timeline." : "This profile does not have a timeline: a page that tp-report makes from a data directory has one."));
    return;
  }
  const shownThreads = (data?.threads ?? []).slice(0, LANES);
  /** @type {Lane[]} */
  const threads = await Promise.all(shownThreads.map((/** @type {any} */ thread) => laneOf(thread, data.unit_ns ?? 1)));
  const ribbon = path?.segments?.length ? ribbonOf(path.segments) : undefined;
  const extent = Math.max(load?.extent_ns ?? (model.profile.trace?.elapsed_ticks ?? 0) * model.nsPerTick, ...threads.map((lane) => lane.to[lane.to.length - 1] ?? 0), 1);
  new View(made, model, threads, ribbon, load, extent);
  const notes = ["Drag to move; + and − zoom, as does the wheel with Ctrl.", "The thin line of the path: nothing on it ran.", threads.length === 0 ? "This profile does not have what each thread ran." : "", data?.merged_below_ns > 0 ? `Neighboring slices of a site are merged where the gap is below ${time(data.merged_below_ns)}.` : "",
    (data?.threads?.length ?? 0) > LANES ? `${data.threads.length - LANES} of ${data.threads.length} threads are not shown.` : ""];
  made.append(h("p", { class: "note after no-print" }, notes.filter(Boolean).join(" ")));
}

class View {
  /** @param {HTMLElement} made @param {Model} model @param {Lane[]} threads @param {Lane | undefined} ribbon @param {any} load @param {number} extent */
  constructor(made, model, threads, ribbon, load, extent) {
    this.model = model;
    this.threads = threads;
    this.ribbon = ribbon;
    this.load = load?.running?.length ? load : undefined;
    this.extent = extent;
    this.domain = [0, extent];
    const any = (/** @type {number[] | undefined} */ values) => values?.some((value) => value > 0) ?? false;
    this.leftOut = any(this.load?.left_out) || threads.some((lane) => lane.site.includes(LEFT_OUT));
    /** The strip below the tasks: the share of running tasks that had no CPU. */
    this.stripHeight = any(this.load?.no_cpu) ? STRIP : 0;
    this.loadHeight = this.load ? 120 : 0;
    this.laneHeight = threads.length > 12 ? 14 : 22;
    this.height = this.loadHeight + this.stripHeight + (ribbon ? 40 : 8) + threads.length * (this.laneHeight + 3) + AXIS;
    this.canvas = h("canvas", { class: "timeline", tabindex: 0, role: "group", "aria-roledescription": "zoomable chart",
      "aria-label": `What ran over time, on ${threads.length} threads. Plus, minus and zero zoom; arrow keys move.` });
    this.status = h("span", { class: "range", role: "status" });
    const button = (/** @type {string} */ name, /** @type {string} */ title, /** @type {() => void} */ act) => {
      const each = h("button", { type: "button", class: "button", title, "aria-label": title }, name);
      each.addEventListener("click", act);
      return each;
    };
    made.append(h("div", { class: "tools no-print" }, this.status, button("+", "Zoom in", () => this.zoomBy(2)), button("−", "Zoom out", () => this.zoomBy(0.5)), button("All", "All: show the whole run", () => this.reset())),
      this.canvas);
    const sites = this.load ? this.load.sites : [...new Set(threads.flatMap((lane) => [...lane.site.slice(0, 2000)]))].filter((each) => each < model.sites.length).sort((a, b) => a - b).slice(0, 7);
    /** @type {[string, string][]} */
    const kinds = [];
    if (this.stripHeight > 0) kinds.push(["lost", "running without a CPU"]);
    if (this.leftOut) kinds.push(["left-out", "left out of the profile (--from first-use)"]);
    if (this.load?.ready) kinds.push(["ready", "new task, waits for a thread"], ["resumable", "could go on, waits for a thread"]);
    if ((this.load?.ready?.lock ?? []).some((/** @type {number} */ each) => each > 0)) kinds.push(["in-lock", "waits for a lock"]);
    const isOther = (/** @type {number} */ site) => site !== LEFT_OUT && site >= model.sites.length || model.site(site).color === "site-other";
    made.append(legend(model, sites, [Number(threads.some((lane) => lane.site.some(isOther)))], kinds));
    this.behavior = zoom().scaleExtent([1, Math.max(4, extent / 2000)]).filter((/** @type {any} */ event) => (event.type === "wheel" ? event.ctrlKey : !event.button))
      .on("zoom", (/** @type {any} */ event) => {
        const full = scaleLinear([0, extent], [LEFT, this.width - RIGHT]);
        this.domain = event.transform.rescaleX(full).domain();
        this.draw();
      });
    this.width = 0;
    new ResizeObserver(() => this.resize()).observe(made);
    this.resize();
    select(this.canvas).call(/** @type {any} */ (this.behavior)).on("dblclick.zoom", null);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    document.addEventListener("themechange", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  resize() {
    const style = getComputedStyle(this.canvas.parentElement ?? this.canvas);
    const width = Math.floor((this.canvas.parentElement?.clientWidth ?? 0) - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    if (width < 100 || width === this.width) return;
    this.width = width;
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.behavior.extent([[LEFT, 0], [width - RIGHT, this.height]]).translateExtent([[LEFT, 0], [width - RIGHT, this.height]]);
    this.draw();
  }

  zoomBy(/** @type {number} */ factor) { this.behavior.scaleBy(/** @type {any} */ (select(this.canvas)), factor); }
  reset() { this.behavior.transform(/** @type {any} */ (select(this.canvas)), zoomIdentity); }

  key(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = (/** @type {number} */ part) => {
      const scale = this.extent / (this.domain[1] - this.domain[0]);
      this.behavior.translateBy(/** @type {any} */ (select(this.canvas)), (-part * (this.width - LEFT - RIGHT)) / scale, 0);
    };
    const act = /** @type {Record<string, () => void>} */ ({ "+": () => this.zoomBy(2), "=": () => this.zoomBy(2), "-": () => this.zoomBy(0.5), 0: () => this.reset(),
      ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), Home: () => move(-1e6), End: () => move(1e6) })[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Where each row is. */
  rows() {
    let y = this.loadHeight + this.stripHeight + 6;
    /** @type {{lane: Lane, y: number, height: number}[]} */
    const rows = [];
    if (this.ribbon) {
      rows.push({ lane: this.ribbon, y: y + 6, height: 18 });
      y += 34;
    }
    for (const lane of this.threads) {
      rows.push({ lane, y, height: this.laneHeight });
      y += this.laneHeight + 3;
    }
    return rows;
  }

  colors() {
    const probe = h("span");
    this.canvas.after(probe);
    const read = (/** @type {string} */ value) => {
      probe.style.color = value;
      return getComputedStyle(probe).color;
    };
    const of = (/** @type {string} */ color, /** @type {string} */ name) => read(`var(--${name}${color === "site-other" ? "x" : color.slice(5)})`);
    const sites = this.model.sites.map((site) => of(site.color, "s")), on = this.model.sites.map((site) => of(site.color, "on"));
    const found = { sites, on, other: read("var(--sx)"), text: read("var(--text)"), card: read("var(--card)"), quiet: read("var(--quiet)"), grid: read("var(--grid)"), ready: read("color-mix(in srgb, var(--sx) 55%, transparent)"), resumable: read("color-mix(in srgb, var(--sx) 28%, transparent)"), leftOut: read("var(--left-out)"), inLock: read("light-dark(#8f3d12, #f2a277)") };
    probe.remove();
    return found;
  }

  draw() {
    const context = this.canvas.getContext("2d");
    if (!context || this.width === 0) return;
    const ratio = this.canvas.width / this.width, colors = this.colors();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
    context.textBaseline = "middle";
    const x = scaleLinear(this.domain, [LEFT, this.width - RIGHT]);
    const bottom = this.height - AXIS;
    context.fillStyle = colors.quiet;
    for (const at of x.ticks(this.width < 520 ? 3 : 7)) {
      context.fillStyle = colors.grid;
      context.fillRect(x(at), 0, 1, bottom);
      context.fillStyle = colors.quiet;
      const label = tickText(at), half = context.measureText(label).width / 2;
      context.fillText(label, Math.min(Math.max(LEFT, x(at) - half), this.width - 2 * half), bottom + 13);
    }
    if (this.load) this.drawLoad(context, x, colors);
    for (const row of this.rows()) {
      context.fillStyle = colors.quiet;
      context.fillText(row.lane.name, 0, row.y + row.height / 2, LEFT - 6);
      if (!row.lane.kind) {
        context.fillStyle = colors.grid;
        context.fillRect(LEFT, row.y, this.width - LEFT - RIGHT, row.height);
      }
      this.drawLane(context, x, row, colors);
    }
    const [from, to] = this.domain;
    this.status.textContent = to - from > this.extent * 0.999 ? `all of ${time(this.extent)}` : `${time(from)} to ${time(to)}`;
  }

  /** @param {CanvasRenderingContext2D} context @param {any} x @param {{lane: Lane, y: number, height: number}} row @param {any} colors */
  drawLane(context, x, { lane, y, height }, colors) {
    const [from, to] = this.domain;
    /** @type {Map<number, number>} */
    let shares = new Map();
    let pixel = -1, covered = 0;
    const color = (/** @type {number} */ key) => (key === LEFT_OUT ? colors.leftOut : colors.sites[key] ?? colors.other);
    const flush = () => {
      if (pixel < 0 || covered <= 0) return;
      let best = 0, most = -1;
      for (const [key, share] of shares) if (share > most) [best, most] = [key, share];
      context.globalAlpha = Math.min(1, 0.35 + covered);
      const waits = best >= 1 << 24;
      context.fillStyle = waits ? colors.text : color(best);
      if (waits) context.fillRect(pixel, y + height / 2 - 1, 1, 2);
      else context.fillRect(pixel, y, 1, height);
      context.globalAlpha = 1;
      shares = new Map();
      covered = 0;
    };
    for (let i = firstAfter(lane, from); i < lane.from.length && lane.from[i] < to; ++i) {
      const x0 = Math.max(LEFT, x(lane.from[i])), x1 = Math.min(this.width - RIGHT, x(lane.to[i]));
      const waits = lane.kind ? lane.kind[i] > 0 : false;
      if (x1 - x0 >= 1.5) {
        flush();
        pixel = -1;
        if (waits) {
          context.fillStyle = colors.text;
          context.fillRect(x0, y + height / 2 - 1, x1 - x0, 2);
          continue;
        }
        context.fillStyle = color(lane.site[i]);
        context.fillRect(x0, y, x1 - x0 - (x1 - x0 > 4 ? 0.7 : 0), height);
        const label = this.model.site(lane.site[i]).label, room = x1 - x0 - 8;
        if (height > 15 && room > 26) {
          context.fillStyle = colors.on[lane.site[i]] ?? colors.text;
          if (context.measureText(label).width <= room) context.fillText(label, x0 + 4, y + height / 2 + 0.5);
        }
        continue;
      }
      const at = Math.floor(x0);
      if (at !== pixel) {
        flush();
        pixel = at;
      }
      const key = waits ? (1 << 24) + lane.site[i] : lane.site[i];
      shares.set(key, (shares.get(key) ?? 0) + (x1 - x0));
      covered += x1 - x0;
    }
    flush();
  }

  /** @param {CanvasRenderingContext2D} context @param {any} x @param {any} colors */
  drawLoad(context, x, colors) {
    const load = this.load, scale = loadScale(this.model, load);
    /** @type {{values: number[], color: string}[]} */
    const layers = load.running.map((/** @type {number[]} */ values, /** @type {number} */ i) => ({ values, color: colors.sites[load.sites[i]] ?? colors.other }));
    if (load.other) layers.push({ values: load.other, color: colors.other });
    if (load.left_out) layers.push({ values: load.left_out, color: colors.leftOut });
    // New tasks at the bottom, then what could go on.
    const readyLayers = Object.entries(load.ready ?? {}).filter(([, values]) => Array.isArray(values)).sort(([a], [b]) => Number(b === "create") - Number(a === "create"));
    const buckets = load.buckets ?? layers[0].values.length;
    const width = load.extent_ns / buckets;
    const first = Math.max(0, Math.floor(this.domain[0] / width)), last = Math.min(buckets, Math.ceil(this.domain[1] / width));
    let most = 1;
    const totals = [];
    for (let b = first; b < last; ++b) {
      let total = 0;
      for (const layer of layers) total += (layer.values[b] ?? 0) * scale;
      let ready = 0;
      for (const [, values] of readyLayers) ready += (values[b] ?? 0) * scale;
      totals.push([total, ready]);
      most = Math.max(most, Math.min(total + ready, Math.max(total * 3, this.model.cpus * 3)));
    }
    const top = 8, bottom = this.loadHeight - 4;
    const y = scaleLinear([0, Math.max(most, this.model.cpus) * 1.05], [bottom, top]).clamp(true);
    context.fillStyle = colors.quiet;
    for (const tick of y.ticks(3)) if (Number.isInteger(tick)) context.fillText(String(tick), LEFT - 18, y(tick));
    context.fillText("tasks", 0, top + 4);
    const clippedX = (/** @type {number} */ at) => Math.max(LEFT, Math.min(this.width - RIGHT, x(at)));
    for (let b = first; b < last; ++b) {
      const x0 = clippedX(b * width), wide = clippedX((b + 1) * width) - x0;
      let base = 0;
      for (const layer of layers) {
        const value = (layer.values[b] ?? 0) * scale;
        if (value <= 0) continue;
        context.fillStyle = layer.color;
        context.fillRect(x0, y(base + value), wide + 0.4, y(base) - y(base + value));
        base += value;
      }
      const running = base;
      for (const [kind, values] of readyLayers) {
        const value = (values[b] ?? 0) * scale;
        if (value <= 0) continue;
        context.fillStyle = kind === "create" ? colors.ready : kind === "lock" ? colors.inLock : colors.resumable;
        context.fillRect(x0, y(base + value), wide + 0.4, y(base) - y(base + value));
        base += value;
      }
      if (this.stripHeight === 0 || running <= 0) continue;
      context.fillStyle = colors.quiet;
      context.globalAlpha = Math.min(1, ((load.no_cpu[b] ?? 0) * scale) / running);
      context.fillRect(x0, this.loadHeight + 3, wide + 0.4, this.stripHeight - 9);
      context.globalAlpha = 1;
    }
    if (this.stripHeight > 0) {
      context.fillStyle = colors.quiet;
      context.fillText("no CPU", 0, this.loadHeight + 3 + (this.stripHeight - 9) / 2, LEFT - 6);
    }
    if (totals.some(([total, ready]) => total + ready > y.domain()[1] * 1.01)) {
      const cut = "more ready tasks: cut";
      context.fillStyle = colors.card;
      const half = context.measureText(cut).width;
      context.fillRect(LEFT + 4, top - 2, half + 8, 16);
      context.fillStyle = colors.quiet;
      context.fillText(cut, LEFT + 8, top + 6);
    }
    context.strokeStyle = colors.text;
    context.setLineDash([4, 4]);
    context.strokeRect(LEFT, y(this.model.cpus), this.width - LEFT - RIGHT, 0);
    context.setLineDash([]);
    context.fillStyle = colors.text;
    const label = `${this.model.cpus} CPU${this.model.cpus === 1 ? "" : "s"}`;
    context.strokeStyle = colors.card;
    context.lineWidth = 3;
    const at = this.width - RIGHT - context.measureText(label).width - 3;
    context.strokeText(label, at, y(this.model.cpus) - 9);
    context.lineWidth = 1;
    context.fillText(label, at, y(this.model.cpus) - 9);
  }

  /** The tooltip of what is under the pointer. @param {PointerEvent} event */
  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = scaleLinear(this.domain, [LEFT, this.width - RIGHT]);
    const at = x.invert(event.clientX - box.left), y = event.clientY - box.top;
    delete this.canvas.dataset.tip;
    if (event.clientX - box.left < LEFT) return;
    if (this.load && y < this.loadHeight + this.stripHeight) {
      const b = Math.min((this.load.buckets ?? 960) - 1, Math.max(0, Math.floor((at / this.load.extent_ns) * (this.load.buckets ?? 960))));
      const scale = loadScale(this.model, this.load);
      const parts = this.load.running.map((/** @type {number[]} */ values, /** @type {number} */ i) => [(values[b] ?? 0) * scale, this.model.site(this.load.sites[i]).title]).filter((/** @type {any} */ each) => each[0] > 0.005);
      const ready = Object.entries(this.load.ready ?? {}).map(([kind, values]) => [(/** @type {number[]} */ (values)[b] ?? 0) * scale, kind === "lock" ? "waiting for locks" : `ready: ${READY[kind] ?? kind}`]).filter((each) => Number(each[0]) > 0.005);
      const more = [["left_out", "left out of the profile"], ["no_cpu", "of these without a CPU"]].map(([key, name]) => [(this.load[key]?.[b] ?? 0) * scale, name]).filter((each) => Number(each[0]) > 0.005);
      this.canvas.dataset.tip = [`${time(at)}`, ...[...parts, ...more, ...ready].map(([value, name]) => `${digits(Number(value))} ${clipped(String(name), 60)}`)].join("\n");
      return;
    }
    const row = this.rows().find((each) => y >= each.y - 2 && y < each.y + each.height + 2);
    if (!row) return;
    const i = firstAfter(row.lane, at);
    if (i >= row.lane.from.length || row.lane.from[i] > at) {
      this.canvas.dataset.tip = `${row.lane.name}\nidle at ${time(at)}`;
      return;
    }
    const site = this.model.site(row.lane.site[i]), length = row.lane.to[i] - row.lane.from[i];
    this.canvas.dataset.tip = [site.title, `${row.lane.name}, ${time(row.lane.from[i])} to ${time(row.lane.to[i])} (${time(length)})`,
      row.lane.kind ? KINDS[row.lane.kind[i]] ?? "" : row.lane.steps && row.lane.steps[i] > 1 ? `${count(row.lane.steps[i])} steps` : "", `${percent(length, this.extent)} of the run`].filter(Boolean).join("\n");
  }
}

/** @type {Record<string, string>} */
const READY = { create: "new tasks", create_continue: "after creating a task", wait_continue: "after a wait", end: "after another task ended" };

/** From the values of the time profile to tasks at a time: their sum is the time in steps. @param {Model} model @param {any} load */
function loadScale(model, load) {
  const balance = model.profile.time_balance ?? {};
  let sum = 0;
  for (const layer of [...load.running, load.other ?? [], load.left_out ?? []]) for (const value of layer) sum += value;
  const buckets = load.buckets ?? load.running[0].length;
  const expected = balance.elapsed_ticks > 0 ? balance.steps_ticks / balance.elapsed_ticks : sum / buckets;
  return sum > 0 ? (expected * buckets) / sum : 1;
}
