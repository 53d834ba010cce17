// SPDX-License-Identifier: Apache-2.0
// The page of the worked example of the TaskProf paper, as tp-report writes it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { clean, dataOf, folder, hasBrowser, makePage, open, startBrowser } from "./browser.mjs";

const golden = join(dirname(fileURLToPath(import.meta.url)), "../golden/taskprof_paper.trace.txt");
/** @type {any} */
let browser;
/** @type {string} */
let file;

before(async () => {
  const data = join(folder, "data");
  execFileSync(process.env.TP_MAKE_TRACE ?? "", [golden, data]);
  file = makePage(data);
  if (hasBrowser) browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  clean();
});

test("is one file without addresses, host names and placeholders", () => {
  const text = readFileSync(file, "utf8");
  assert.equal(text.match(/https?:\/\/(?!www\.w3\.org\/)/g), null);
  assert.equal(text.match(/<!--(tp|bundle):|@bundle:/g), null);
  assert.equal(dataOf(file).run.host, undefined);
  assert.ok(text.length < 300_000, `${text.length} bytes`);
});

test("draws its sections without errors and requests", { skip: !hasBrowser }, async () => {
  const { page, context, problems } = await open(browser, file);
  assert.equal(await page.locator("#scale h2").count(), 1);
  assert.deepEqual(problems, []);
  await context.close();
});
