// SPDX-License-Identifier: Apache-2.0
// Numbers with two to three digits and their unit. A space within a number or before a unit does
// not break.

const SPACE = "\u00a0";

/** Three digits: 1.23, 12.3, 123, 1,234. @param {number} value */
export function digits(value) {
  if (!Number.isFinite(value)) return "unknown";
  if (value < 9.995) return value.toFixed(2);
  if (value < 99.95) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-US");
}

/** A speedup or a parallelism: "2.47×". @param {number} value */
export const times = (value) => `${digits(value)}×`;

/** @param {number} ns */
export function time(ns) {
  const units = ["ns", "µs", "ms", "s"];
  let unit = 0;
  for (; unit < 3 && ns >= 999.5; ++unit) ns /= 1000;
  return (unit === 0 ? Math.round(ns).toString() : digits(ns)) + SPACE + units[unit];
}

/** A time on an axis: "10 µs". @param {number} ns */
export const tick = (ns) => ns === 0 ? "0" : time(ns).replace(/(\.\d*?)0+(?=\u00a0)/, "$1").replace(/\.(?=\u00a0)/, "");

/** An integer, exact below 100,000: "9,768", "1.23 M". @param {number} value */
export function count(value) {
  if (value < 99999.5) return Math.round(value).toLocaleString("en-US");
  const units = ["k", "M", "G", "T"];
  let unit = -1;
  for (; unit < 3 && value >= 999.5; ++unit) value /= 1000;
  return digits(value) + SPACE + units[unit];
}

/** A share: "75 %", "6.4 %", "<0.1 %". @param {number} part @param {number} [whole] */
export function percent(part, whole = 1) {
  if (!(whole > 0)) return "0" + SPACE + "%";
  const value = (100 * part) / whole;
  if (value === 0) return "0" + SPACE + "%";
  if (value < 0.05) return "<0.1" + SPACE + "%";
  return (value < 9.95 ? value.toFixed(1) : Math.round(value).toString()) + SPACE + "%";
}

/** The first of `texts` that fits `room` pixels; "" if none does. @param {number} room @param {number} size of the font @param {...string} texts */
export const fitting = (room, size, ...texts) => texts.find((each) => [...each].length * size * 0.56 <= room) ?? "";

/** "1 task", "2 tasks". @param {number} value @param {string} noun */
export const counted = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Cut at the end to `most` characters. @param {string} text @param {number} most */
export function clipped(text, most) {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, Math.max(1, most - 1)).join("") + "…";
}

/** A qualified name cut at its beginning, whose namespaces say least: "…Grid::run". @param {string} text @param {number} most */
export function tail(text, most) {
  const characters = [...text];
  if (characters.length <= most) return text;
  const rest = characters.slice(characters.length - most + 1).join(""), whole = rest.search(/[:/]/);
  return "…\u2060" + (whole >= 0 && whole < most / 2 ? rest.slice(whole).replace(/^[:/]+/, "") : rest);
}

/** The names in a sentence without their outer namespaces. @param {string} text */
export const unqualified = (text) => text.replace(/(?:[\w~]+::)+(?=[\w~]+::[\w~]+)/g, "");

/** In at most `lines` lines of about `most` characters, at spaces; the last one is cut. @param {string} text @param {number} most @param {number} lines @returns {string[]} */
export function wrapped(text, most, lines) {
  /** @type {string[]} */
  const result = [""];
  for (const word of text.split(" ")) {
    const last = result[result.length - 1];
    if (last === "" || result.length === lines || [...last].length + 1 + [...word].length <= most) result[result.length - 1] = last ? `${last} ${word}` : word;
    else result.push(word);
  }
  return result.map((line) => clipped(line, most));
}
