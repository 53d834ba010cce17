// SPDX-License-Identifier: Apache-2.0
// Elements of the page. Texts become text nodes only: no name from the profile is parsed as HTML.

/** @typedef {Record<string, string | number | boolean | undefined | null>} Attributes */
/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {Element} T
 * @param {T} element @param {Attributes} attributes @param {Child[]} children
 * @returns {T}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return element;
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {Child[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Attributes} [attributes] @param {Child[]} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * A paragraph that says why a chart is empty.
 * @param {string} text
 */
export function empty(text) {
  return h("p", { class: "empty" }, ...text.split(/(--[a-z][a-z-]*(?: [A-Z]+=[A-Z]+| always)?)/).map((part, i) => (i % 2 === 1 ? h("code", { class: "option" }, part) : part)));
}

/**
 * A card with a title.
 * @param {string} title @param {string} note @param {Child[]} children
 */
export function card(title, note, ...children) {
  return h("div", { class: "card" }, h("h3", {}, title), note ? h("p", { class: "note" }, note) : null, ...children);
}

/**
 * A table that scrolls within its card where the window is narrow.
 * @param {string} name @param {Element} table
 */
export function scrollable(name, table) {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, table);
}
