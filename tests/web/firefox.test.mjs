// SPDX-License-Identifier: Apache-2.0
// The page in Firefox, by screenshot: Debian's Firefox has no driver for tests. A chart that is not
// drawn lacks the colors of the sites. The timeline, which is a canvas, is the only one on its page.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";
import { LIGHT } from "../../web/js/palette.js";
import { clean, folder, makePage } from "./browser.mjs";
import { enriched } from "./fixture.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const firefox = process.env.TP_FIREFOX ?? "", skip = firefox === "" || firefox.endsWith("NOTFOUND");
if (skip) console.log("no firefox here: scripts/setup installs it");
after(clean);

/** Width, height and 8-bit RGB or RGBA pixels of a PNG. @param {Buffer} png */
function decoded(png) {
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), depth = png[24], bytes = png[25] === 6 ? 4 : 3;
  assert.ok(depth === 8 && (png[25] === 6 || png[25] === 2), "a PNG of another kind");
  /** @type {Buffer[]} */
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const data = inflateSync(Buffer.concat(parts)), line = width * bytes, pixels = Buffer.alloc(line * height);
  for (let y = 0; y < height; ++y) {
    const filter = data[y * (line + 1)];
    for (let i = 0; i < line; ++i) {
      const left = i >= bytes ? pixels[y * line + i - bytes] : 0, up = y > 0 ? pixels[(y - 1) * line + i] : 0, corner = y > 0 && i >= bytes ? pixels[(y - 1) * line + i - bytes] : 0;
      const near = left + up - corner, [a, b, c] = [left, up, corner].map((each) => Math.abs(near - each));
      pixels[y * line + i] = data[y * (line + 1) + 1 + i] + [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][filter];
    }
  }
  return { width, height, bytes, pixels };
}

/** How many pixels have a color. @param {ReturnType<typeof decoded>} image @param {string} color */
function count(image, color) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  let found = 0;
  for (let i = 0; i < image.pixels.length; i += image.bytes)
    if (image.pixels[i] === r && image.pixels[i + 1] === g && image.pixels[i + 2] === b) ++found;
  return found;
}

/**
 * The page as Firefox draws it. Firefox takes its picture when the page has loaded, which may be before
 * the charts know their width: an image holds the load up until two frames are drawn.
 * @param {string} page @param {number} height
 */
async function shot(page, height) {
  /** @type {() => void} */
  let drawn = () => {};
  const frames = new Promise((/** @type {(value?: any) => void} */ resolve) => (drawn = resolve));
  const html = readFileSync(page, "utf8").replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/i, "").replace("</body>", `<img src="/frames.svg" width="1" height="1">
    <script>(function wait(frames) { requestAnimationFrame(() => !document.documentElement.dataset.ready ? wait(0) : frames < 2 ? wait(frames + 1) : fetch("/drawn")); })(0)</script></body>`);
  const server = createServer((request, response) => {
    if (request.url === "/drawn") drawn();
    if (request.url === "/") response.setHeader("Content-Type", "text/html; charset=utf-8").end(html);
    else if (request.url === "/frames.svg") void frames.then(() => response.setHeader("Content-Type", "image/svg+xml").end('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    else response.end();
  });
  await new Promise((/** @type {(value?: any) => void} */ resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address()), profile = mkdtempSync(join(folder, "profile-")), file = join(profile, "shot.png");
  await promisify(execFile)(firefox, ["--headless", "--profile", profile, `--window-size=1200,${height}`, `--screenshot=${file}`, `http://127.0.0.1:${port}/`],
    { timeout: 240000, env: { ...process.env, HOME: folder, MOZ_DISABLE_CONTENT_SANDBOX: "1" } });
  server.closeAllConnections();
  server.close();
  return decoded(readFileSync(file));
}

test("Firefox draws the charts and the timeline", { skip }, async () => {
  const data = join(folder, "data");
  execFileSync(process.env.TP_MAKE_TRACE ?? "", [join(here, "../golden/taskprof_paper.trace.txt"), data]);
  const paper = JSON.parse(execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", "--json", "-", data], { cwd: folder, encoding: "utf8" }));
  const whole = await shot(makePage(enriched(paper)), 6000);
  assert.equal(whole.width, 1200);
  for (const color of LIGHT.slice(0, 4)) assert.ok(count(whole, color) > 500, `${color}: ${count(whole, color)} pixels`);
  // What the timeline alone adds: without it, there are fewer pixels of the sites.
  const bare = enriched(paper);
  delete bare.timeline;
  delete bare.time_profile;
  const without = await shot(makePage(bare), 6000);
  const of = (/** @type {ReturnType<typeof decoded>} */ image) => LIGHT.slice(0, 4).reduce((sum, color) => sum + count(image, color), 0);
  assert.ok(of(whole) > of(without) + 5000, `${of(whole)} pixels with the timeline, ${of(without)} without`);
});
