// SPDX-License-Identifier: Apache-2.0
// CHART: an SVG that is drawn for the width it has, drawn anew when that changes, and read with the
// keyboard: one tab stop, arrow keys from mark to mark. A mark has a name, which is also its tooltip.
import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";
import { s } from "./dom.js";

/**
 * @param {HTMLElement} host
 * @param {{label: string, height: number | ((width: number) => number), draw: (svg: SVGSVGElement, width: number, height: number) => void}} options
 */
export function chart(host, options) {
  const svg = s("svg", { class: "chart", role: "group", "aria-roledescription": "chart", "aria-label": options.label, tabindex: 0 });
  host.append(svg);
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(host.clientWidth);
    if (width < 40 || width === drawn) return;
    drawn = width;
    const height = typeof options.height === "function" ? options.height(width) : options.height;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(height));
    options.draw(svg, width, height);
  };
  new ResizeObserver(redraw).observe(host);
  redraw();
  svg.addEventListener("keydown", (event) => step(svg, event));
  return { svg, redraw: () => { drawn = 0; redraw(); } };
}

/** @param {SVGSVGElement} svg @param {KeyboardEvent} event */
function step(svg, event) {
  /** @type {SVGElement[]} */
  const marks = [...svg.querySelectorAll(".mark")].filter((each) => each instanceof SVGElement);
  if (marks.length === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const now = marks.indexOf(/** @type {SVGElement} */ (document.activeElement));
  const to = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now < 0 ? marks.length - 1 : now - 1,
    ArrowUp: now < 0 ? marks.length - 1 : now - 1, Home: 0, End: marks.length - 1 }[event.key];
  if (event.key === "Escape") svg.focus();
  if (to === undefined) return;
  event.preventDefault();
  marks[(to + marks.length) % marks.length].focus();
}

/**
 * Makes an element a mark: it has a name, and can be reached.
 * @template {SVGElement} T
 * @param {T} element @param {string} name lines separated by "\n"; the first is the title
 */
export function mark(element, name) {
  element.classList.add("mark");
  element.setAttribute("role", "img");
  element.setAttribute("tabindex", "-1");
  element.setAttribute("aria-label", name.replaceAll("\n", ", "));
  element.dataset.tip = name;
  return element;
}

/** One tooltip for the page, on pointing and on focus. @param {HTMLElement} tip */
export function connectTooltip(tip) {
  /** @param {Element | null} target @param {number} x @param {number} y */
  const show = (target, x, y) => {
    const owner = target?.closest("[data-tip]");
    const text = owner instanceof HTMLElement || owner instanceof SVGElement ? owner.dataset.tip : undefined;
    tip.hidden = !text;
    if (!text) return;
    const [title, ...lines] = text.split("\n");
    const strong = document.createElement("strong");
    strong.textContent = title.length > 300 ? title.slice(0, 300) + "…" : title;
    tip.replaceChildren(strong, ...lines.map((line) => {
      const div = document.createElement("div");
      div.textContent = line;
      return div;
    }));
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.max(8, Math.min(x + 14, innerWidth - width - 8));
    const top = y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18;
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  };
  document.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") show(event.target instanceof Element ? event.target : null, event.clientX, event.clientY);
  });
  document.addEventListener("click", (event) => show(event.target instanceof Element ? event.target : null, event.clientX, event.clientY));
  document.addEventListener("focusin", (event) => {
    if (!(event.target instanceof Element) || !event.target.matches(":focus-visible")) return;
    const box = event.target.getBoundingClientRect();
    show(event.target, box.left + Math.min(box.width, 40), Math.min(box.bottom, innerHeight - 120));
  });
  document.addEventListener("focusout", () => { tip.hidden = true; });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
}

/**
 * Axes by d3, without the end ticks.
 * @param {SVGElement} parent @param {"left" | "bottom"} side @param {any} scale
 * @param {{at: number, ticks?: number, values?: number[], format?: (value: number) => string, grid?: number}} options
 */
export function axis(parent, side, scale, options) {
  const make = (side === "left" ? axisLeft(scale) : axisBottom(scale)).tickSizeOuter(0).tickPadding(6);
  if (options.values) make.tickValues(options.values);
  else make.ticks(options.ticks ?? 5);
  if (options.format) make.tickFormat((/** @type {any} */ value) => options.format?.(Number(value)) ?? "");
  make.tickSize(options.grid ? -options.grid : 0);
  const group = s("g", { class: `axis axis-${side}`, "aria-hidden": "true",
    transform: side === "left" ? `translate(${options.at},0)` : `translate(0,${options.at})` });
  parent.append(group);
  select(group).call(/** @type {any} */ (make));
  // The labels at both ends stay within the picture.
  const [from, to] = side === "bottom" ? [scale.range()[0], scale.range()[1]] : [0, 0];
  if (side === "bottom") for (const tick of group.querySelectorAll(".tick")) {
    const x = Number(/translate\(([-\d.]+)/.exec(tick.getAttribute("transform") ?? "")?.[1]);
    const half = widthOf(tick.textContent ?? "", 11) / 2;
    if (x - half < Math.min(from - 8, 0)) tick.querySelector("text")?.setAttribute("text-anchor", "start");
    else if (x + half > to + 8) tick.querySelector("text")?.setAttribute("text-anchor", "end");
  }
  return group;
}

/** @param {SVGElement} parent @param {number} x @param {number} y @param {string} content @param {string} [kind] @param {string} [anchor] */
export function text(parent, x, y, content, kind = "", anchor = "start") {
  const element = s("text", { x, y, class: kind, "text-anchor": anchor, "aria-hidden": "true" }, content);
  parent.append(element);
  return element;
}

/** About how wide a text is, in pixels. @param {string} content @param {number} [size] of the font */
export const widthOf = (content, size = 12) => [...content].length * size * 0.56;

/** Moves labels apart: at least `gap` between neighbors, within [low, high].
 * @param {{y: number}[]} labels @param {number} gap @param {number} low @param {number} high */
export function spread(labels, gap, low, high) {
  labels.sort((a, b) => a.y - b.y);
  for (let i = 0; i < labels.length; ++i) labels[i].y = Math.max(labels[i].y, i > 0 ? labels[i - 1].y + gap : low);
  for (let i = labels.length - 1; i >= 0; --i)
    labels[i].y = Math.min(labels[i].y, i + 1 < labels.length ? labels[i + 1].y - gap : high);
}
