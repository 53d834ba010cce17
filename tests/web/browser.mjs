// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: pages made by tp-report, a browser without a network, and the record
// of what went wrong in it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(resolve(process.env.TP_NODE_MODULES ?? ".", "package.json"));
export const axeSource = () => readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
export const hasBrowser = Boolean(process.env.TP_CHROMIUM) && !process.env.TP_CHROMIUM?.endsWith("NOTFOUND");
if (!hasBrowser) console.log("no chromium here: scripts/setup installs it");

export const folder = mkdtempSync(join(tmpdir(), "tp-page-"));
export const clean = () => rmSync(folder, { recursive: true, force: true });

let made = 0;
/** The page of a profile, written by tp-report; returns its path. */
export function makePage(/** @type {any} */ profile, /** @type {any} */ base, /** @type {string[]} */ ...options) {
  const name = join(folder, `page${++made}`);
  const inputs = [profile, base].filter(Boolean).map((each, i) => {
    if (typeof each === "string") return each;
    const { schema: _, ...rest } = each;
    const file = `${name}.${i}.json`;
    writeFileSync(file, '{\n "schema": "taskpath.profile/1",' + JSON.stringify(rest).slice(1));
    return file;
  });
  execFileSync(process.env.TP_REPORT ?? "tp-report", ["-q", "-o", `${name}.html`, ...options, ...inputs]);
  return `${name}.html`;
}

/** The data that a page contains. */
export function dataOf(/** @type {string} */ file) {
  const text = readFileSync(file, "utf8");
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? "null");
}

export async function startBrowser() {
  const { chromium } = require("playwright-core");
  return chromium.launch({ executablePath: process.env.TP_CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });
}

/** Opens a page; `problems` collects errors, requests and violations of its policy. */
export async function open(/** @type {any} */ browser, /** @type {string} */ file, /** @type {any} */ options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const problems = [];
  page.on("console", (/** @type {any} */ message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (/** @type {any} */ error) => problems.push(`error: ${error.message}`));
  page.on("request", (/** @type {any} */ request) => {
    if (request.url() !== pathToFileURL(file).href) problems.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready]", { timeout: 20000 });
  return { page, context, problems };
}
