// SPDX-License-Identifier: Apache-2.0
// Screenshots of a page, to look at:
//   TP_CHROMIUM=/usr/bin/chromium TP_NODE_MODULES=build/release/tests/web node shoot.mjs PAGE.html NAME [WIDTH:THEME[:SECTION[:CARD]]...]
// CARD: the title of the only card of the section to show.
import { open, startBrowser } from "./browser.mjs";

const [file, name, ...shots] = process.argv.slice(2);
const browser = await startBrowser();
for (const shot of shots.length > 0 ? shots : ["1440:light", "1440:dark", "800:light", "420:light"]) {
  const [width, theme, section, title] = shot.split(":");
  const { page, context, problems } = await open(browser, file, { viewport: { width: Number(width), height: 900 }, colorScheme: theme });
  await page.waitForTimeout(400);
  if (section) {
    await page.locator(".bar").evaluate((/** @type {HTMLElement} */ bar) => { bar.style.display = "none"; });
    const all = page.locator(`#${section}`), card = title ? all.locator(".card").filter({ has: page.getByRole("heading", { name: title, exact: true }) }) : all;
    await card.screenshot({ path: `${name}-${width}-${theme}-${section}${title ? `-${title.split(" ")[0].toLowerCase()}` : ""}.png` });
  }
  else await page.screenshot({ path: `${name}-${width}-${theme}.png`, fullPage: true });
  const wide = await page.evaluate("document.documentElement.scrollWidth");
  if (wide > Number(width)) problems.push(`${wide} px wide`);
  console.log(shot, problems.length > 0 ? problems : "in order");
  await context.close();
}
await browser.close();
