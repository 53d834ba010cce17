// SPDX-License-Identifier: Apache-2.0
// How long pages take until everything is drawn, in ms since the start of their navigation:
//   TP_CHROMIUM=/usr/bin/chromium TP_NODE_MODULES=build/release/tests/web node ready.mjs PAGE.html...
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { startBrowser } from "./browser.mjs";

const browser = await startBrowser();
for (const file of process.argv.slice(2)) {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.documentElement?.dataset.ready) return;
      window.readyAt = performance.now();
      observer.disconnect();
    }).observe(document, { attributes: true, subtree: true, childList: true })`);
    await page.goto(pathToFileURL(resolve(file)).href);
    await page.waitForSelector("html[data-ready]");
    times.push(Math.round(await page.evaluate("window.readyAt")));
    await page.close();
  }
  console.log(file, times.sort((a, b) => a - b).join(" "));
}
await browser.close();
