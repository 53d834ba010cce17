// SPDX-License-Identifier: Apache-2.0
// Bundles the page of tp-report into one file; CMake runs it.
//   node bundle.mjs FOLDER_WITH_NODE_MODULES OUTPUT
// report.html names the places for script, style, policy and licenses as <!--bundle:NAME-->; those
// named <!--tp:NAME--> stay, for data. The policy allows exactly this script and this style.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [packages, output] = process.argv.slice(2);
const esbuild = createRequire(resolve(packages, "package.json"))("esbuild");

/** The text that esbuild makes of one file, and the packages in it. */
function bundled(/** @type {string} */ file) {
  const result = esbuild.buildSync({
    entryPoints: [join(here, file)], bundle: true, minify: true, write: false, metafile: true, format: "iife",
    target: ["chrome109", "firefox115"], charset: "ascii", legalComments: "none", absWorkingDir: here,
    nodePaths: [resolve(packages, "node_modules")], loader: { ".css": "css" },
  });
  const names = Object.keys(result.metafile.inputs).map((name) => /node_modules\/([^/]+)\//.exec(name)?.[1]);
  return { text: result.outputFiles[0].text.trim(), packages: [...new Set(names)].filter(Boolean).sort() };
}

const hash = (/** @type {string} */ text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = bundled("js/main.js");
const style = bundled("report.css");
if (/<\/script|<!--/i.test(script.text) || /<\/style/i.test(style.text))
  throw new Error("the bundle would end its own element");

// The licenses of what is bundled go where it goes.
const licenses = new Map();
for (const name of script.packages) {
  const text = readFileSync(join(packages, "node_modules", name, "LICENSE"), "utf8").trim();
  licenses.set(text, [...(licenses.get(text) ?? []), name]);
}
const notice = [...licenses].map(([text, names]) => `${names.join(", ")}:\n${text}`).join("\n\n").replaceAll("--", "- -");

const policy = ["default-src 'none'", `script-src ${hash(script.text)}`, `style-src ${hash(style.text)}`, "img-src data:",
  "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"].join("; ");

/** @type {Record<string, string>} */
const parts = { policy, script: script.text, style: style.text, licenses: notice };
const page = readFileSync(join(here, "report.html"), "utf8")
  .replace(/<!--bundle:(\w+)-->|@bundle:(\w+)@/g, (_, name, other) => parts[name ?? other]);
writeFileSync(output, page);
