// SPDX-License-Identifier: Apache-2.0
// The colors of the sites: one for code outside tasks, six for the sites that matter most. Chosen so
// that each pair differs also with deuteranopia, protanopia and tritanopia
// (tests/web/palette.test.mjs). report.css has the same values, and the color of text on each.
export const LIGHT = ["#f0670b", "#2c74d2", "#8ecbfd", "#24643f", "#c487a8", "#ecc059", "#2a1a78"];
export const DARK = ["#fc811d", "#1da6fa", "#b5eeff", "#23907e", "#e0a5b5", "#f5df7b", "#634bc2"];
