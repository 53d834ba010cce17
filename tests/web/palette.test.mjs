// SPDX-License-Identifier: Apache-2.0
// The colors of the sites can be distinguished with each kind of color blindness, text on them can be
// read, and report.css has the same colors as palette.js. Distances are in OKLab x 100; color
// blindness is emulated with the matrices of Machado, Oliveira and Fernandes (2009), severity 1.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DARK, LIGHT } from "../../web/js/palette.js";

const css = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../../web/report.css"), "utf8");
const EMULATED = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (/** @type {string} */ hex) => [1, 3, 5].map((i) => {
  const value = parseInt(hex.slice(i, i + 2), 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});
const product = (/** @type {number[][]} */ matrix, /** @type {number[]} */ vector) => matrix.map((row) => row.reduce((sum, each, i) => sum + each * vector[i], 0));

function oklab(/** @type {number[]} */ rgb) {
  const lms = product([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566], [0.0883024619, 0.2817188376, 0.6299787005]],
    rgb.map((each) => Math.min(1, Math.max(0, each)))).map(Math.cbrt);
  return product([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099], [0.0259040371, 0.7827717662, -0.808675766]], lms);
}
const distance = (/** @type {number[]} */ a, /** @type {number[]} */ b) => 100 * Math.hypot(...a.map((each, i) => each - b[i]));
const luminance = (/** @type {string} */ hex) => product([[0.2126, 0.7152, 0.0722]], linear(hex))[0];
const contrast = (/** @type {string} */ a, /** @type {string} */ b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};

for (const [theme, colors] of Object.entries({ light: LIGHT, dark: DARK }))
  for (const [kind, matrix] of Object.entries(EMULATED))
    test(`each pair of colors differs: ${theme}, ${kind}`, () => {
      const seen = colors.map((color) => oklab(product(matrix, linear(color))));
      for (let i = 0; i < seen.length; ++i)
        for (let j = 0; j < i; ++j)
          assert.ok(distance(seen[i], seen[j]) >= 10, `${colors[i]} and ${colors[j]}: ${distance(seen[i], seen[j]).toFixed(1)}`);
    });

test("the style sheet has these colors, and text on each can be read", () => {
  LIGHT.forEach((light, i) => {
    const of = (/** @type {string} */ name) => new RegExp(`--${name}${i}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(css)?.slice(1) ?? [];
    assert.deepEqual(of("s"), [light, DARK[i]]);
    of("on").forEach((on, theme) => assert.ok(contrast(on, of("s")[theme]) >= 4.5, `text on ${of("s")[theme]}: ${contrast(on, of("s")[theme]).toFixed(2)}`));
  });
});
