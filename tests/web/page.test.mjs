// SPDX-License-Identifier: Apache-2.0
// The page in a browser without a network: figures equal those of the JSON; the keyboard reaches all;
// themes, narrow windows and print; empty states; hostile names; axe-core.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { axeSource, clean, dataOf, folder, hasBrowser, makePage, open, startBrowser } from "./browser.mjs";
import { enriched } from "./fixture.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const skip = !hasBrowser;
/** @type {any} */ let browser;
/** @type {any} */ let paper;
/** @type {any} */ let full;
/** @type {string} */ let data;
/** @type {string} */ let plainPage;
/** @type {string} */ let fullPage;

/** A profile with times, seven sites, a region, and all that only some profiles have. */
function rich() {
  const profile = structuredClone(paper);
  Object.assign(profile.clock, { hz: 1e9, time_hz: 1e9, time_hz_stated: 1e9, unit: "ns" });
  profile.unit = "ns";
  profile.run.cpus = 4;
  const row = profile.sites[1];
  const make = (/** @type {number} */ i) => ({ ...structuredClone(row), name: `image.cpp:${10 * i}`, file: "image.cpp", line: 10 * i, functions: [`(anonymous namespace)::stage_${i}`],
    exclusive_work: 9_000_000 - i * 1_000_000, critical_work: 700_000 - i * 90_000, work: 9_000_000 - i * 1_000_000, span: 700_000 - i * 90_000, longest_chain: 800_000 - i * 90_000, parallelism: 12,
    invocations: 1000 * i, tasking: { ...row.tasking, mean_task_work: 5000, modelled_percent: 3.5, modelled_cost: 120_000 * i, steals: 10 * i } });
  profile.sites = [{ ...profile.sites[0], exclusive_work: 4_000_000, critical_work: 4_000_000 }, ...[1, 2, 3, 4, 5, 6, 7].map(make)];
  const sum = (/** @type {string} */ key) => profile.sites.reduce((/** @type {number} */ all, /** @type {any} */ site) => all + site[key], 0);
  profile.work = sum("exclusive_work");
  profile.span = sum("critical_work");
  profile.parallelism = Math.round((100 * profile.work) / profile.span) / 100;
  profile.verdict.limit = profile.parallelism;
  Object.assign(profile.sites[0], { work: profile.work, span: profile.span, parallelism: profile.parallelism });
  profile.prediction.not_made = "";
  profile.prediction.work = profile.work;
  profile.prediction.runs = [1, 2, 4, 8, 16, 32, 64, 128].map((procs) => {
    const time = Math.round(profile.work / procs + profile.span * 0.9);
    return { procs, time: procs === 1 ? profile.work : time, speedup: procs === 1 ? 1 : Math.round((100 * profile.work) / time) / 100, efficiency_percent: (100 * profile.work) / time / procs, binds: procs < 4 ? "work" : "span" };
  });
  profile.regions = [{ file: "image.cpp", line: 33, names: ["noise"], sites: [0], critical_work: 3_000_000, expected_factor: 0 }];
  profile.what_if.curves = [{ regions: [0], all: true, points: [] }, { regions: [0], all: false, points: [2, 8, 400].map((factor) => ({ factor, parallelism: profile.parallelism * (1 + factor / (factor + 2)) })) }];
  profile.what_if.explored = [
    { kind: "stretch", name: "main between the loops", file: "image.cpp", from_file: "image.cpp", from_line: 20, work: 1_000_000, critical_work: 1_000_000, points: [2, 8, 400].map((factor) => ({ factor, parallelism: profile.parallelism * (1 + 0.3 * (1 - 1 / factor)) })) },
    { kind: "wait", name: "the wait after image.cpp:20", file: "image.cpp", line: 20, points: [{ factor: 1, parallelism: profile.parallelism * 1.2 }] }];
  profile.what_if.changes = [{ kind: "region", index: 1, name: "noise" }, { kind: "stretch", index: 0, name: "main between the loops" }, { kind: "wait", index: 1, name: "the wait after image.cpp:20" }];
  const lock = { acquisitions: 2000, contended: 500, shared: 0, held: 900_000, longest_held: 2000, held_is_estimate: false, held_error: 0, waited: 3_000_000, waited_ns: 3_000_000, waited_no_holder: 600_000, longest_waited: 9000, longest_waited_ns: 9000,
    name: "queue", kind: "spin_mutex", variable: "queue", file: "image.cpp", line: 44, objects: 1, unmatched: 0, bound: 800_000, bound_kind: "proven", parallelism: 40, places: [{ name: "image.cpp:44", wait_blame: 600_000 }, { name: "image.cpp:47", wait_blame: 1_800_000 }],
    what_if: [{ change: "shorter", factor: 2, parallelism: 60, predicted: [{ procs: 2, time: 900_000 }, { procs: 8, time: 700_000 }] }, { change: "split", factor: 4, parallelism: 80, predicted: [{ procs: 2, time: 800_000 }, { procs: 8, time: 400_000 }] }, { change: "gone", factor: 1, parallelism: 80 }] };
  profile.locks = [{ ...lock, name: "rows", kind: "std::mutex", held: 1_800_000, held_is_estimate: true, parallelism: 80, bound_kind: "estimate", objects: 64, line: 47 }, lock];
  profile.locks_observed = { onetbb: true, c_library: true };
  const sampled = (/** @type {number} */ critical, /** @type {number} */ self) => ({ samples: 90, self_samples: 40, work: 2 * critical, work_interval: [critical, 3 * critical], critical_work: critical, critical_work_interval: [critical - 90_000, critical + 60_000],
    self_work: self, self_work_interval: [self, self], self_critical_work: self, self_critical_work_interval: [self, self], points: [2, 8, 400].map((factor) => ({ factor, parallelism: profile.parallelism * (2 - 1 / factor) })), self_points: [] });
  profile.sampling = { method: "cpu-clock", samples: 4000, in_steps: 4000, between_steps: 0, not_sampled_work: 0, not_sampled_critical_work: 300_000 };
  profile.functions = [{ name: "main", short_name: "main", kind: "function", of_library: false, file: "image.cpp", line: 5, rank: 1, ...sampled(4_000_000, 0) },
    { name: "blur(Image&, int)", short_name: "blur", kind: "function", of_library: false, file: "image.cpp", line: 22, rank: 1, ...sampled(2_400_000, 1_200_000) },
    { name: "memcpy", short_name: "memcpy", kind: "function", of_library: true, file: "", line: 0, module: "libc.so.6", rank: 3, ...sampled(900_000, 900_000) }];
  profile.lines = [{ file: "image.cpp", line: 24, function: "blur(Image&, int)", rank: 1, ...sampled(1_500_000, 0) }];
  profile.trace.elapsed_ticks = 20_000_000;
  Object.assign(profile.time_balance, { threads: 4, elapsed_ticks: 20_000_000, steps_ticks: 50_000_000, of_them_descheduled_ticks: 9_000_000, overhead_ticks: 5_000_000, idle_ticks: 25_000_000, absent_ticks: 0 });
  Object.assign(profile.run_path, { path_ticks: 20_000_000, running_ticks: 12_000_000, not_made: "", busy_delay_ticks: { create: 5_000_000 }, scheduler_delay_ticks: { create: 3_000_000 } });
  return enriched(profile, { threads: 4, slices: 800, source: Array.from({ length: 90 }, (_, i) => `line ${i + 1} of <b>the source</b>`), file: "image.cpp" });
}

before(async () => {
  data = join(folder, "data");
  execFileSync(process.env.TP_MAKE_TRACE ?? "", [join(here, "../golden/taskprof_paper.trace.txt"), data]);
  paper = JSON.parse(execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", "--json", "-", data], { cwd: folder, encoding: "utf8" }));
  full = rich();
  plainPage = makePage(data);
  fullPage = makePage(full, paper);
  if (hasBrowser) browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  clean();
});

/** @param {string} file @param {(page: any, problems: string[]) => Promise<void>} look @param {any} [options] */
async function seen(file, look, options) {
  const { page, context, problems } = await open(browser, file, options);
  await look(page, problems);
  assert.deepEqual(problems, []);
  await context.close();
}
const plain = (/** @type {string | null} */ text) => (text ?? "").replaceAll("\u00a0", " ");

test("the file has no address, host, directory or place left open", () => {
  for (const file of [plainPage, fullPage]) {
    const text = readFileSync(file, "utf8");
    assert.equal(text.match(/https?:\/\/(?!www\.w3\.org\/)/g), null);
    assert.equal(text.match(/<!--(tp|bundle):|@bundle:/g), null);
    assert.equal(dataOf(file).run.host, undefined);
    assert.ok(!text.includes(folder) && !text.includes(here), "an absolute path");
  }
  assert.ok(readFileSync(plainPage, "utf8").length < 300_000);
});

test("damaged and foreign JSON is an error with a hint", () => {
  const schema = '{\n "schema": "taskpath.profile/1", ';
  for (const [text, what] of [[schema + '"run": ', /not a profile/], [schema + '"sites": [1]}', /not a profile/], ["{}", /neither a data directory/],
    [schema + '"x": ' + "[".repeat(100_000) + "]".repeat(100_000) + "}", /nested too deeply/]]) {
    const file = join(folder, "damaged.json");
    writeFileSync(file, text);
    assert.throws(() => execFileSync(process.env.TP_REPORT ?? "", ["-q", "-o", join(folder, "none.html"), file], { stdio: "pipe" }),
      (/** @type {any} */ error) => error.status === 2 && what.test(String(error.stderr)) && /hint: /.test(String(error.stderr)));
  }
});

test("the timeline has all steps, in order and without overlaps", () => {
  const { timeline, trace } = dataOf(plainPage);
  let steps = 0;
  for (const thread of timeline.threads) {
    const bytes = gunzipSync(Buffer.from(thread.gzip, "base64"));
    /** @type {number[]} */
    const numbers = [];
    for (let i = 0, value = 0, scale = 1; i < bytes.length; ++i) {
      value += (bytes[i] & 127) * scale;
      scale *= 128;
      if (bytes[i] < 128) [value, scale] = [numbers.push(value) * 0, 1];
    }
    assert.equal(numbers.length, 4 * thread.slices);
    for (let i = 3; i < numbers.length; i += 4) steps += numbers[i];
  }
  assert.equal(steps, trace.steps);
});

test("excerpts of the source are on the page, unless they are not wanted", () => {
  const program = join(folder, "src");
  mkdirSync(program);
  writeFileSync(join(program, "paper.cpp"), Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n"));
  const files = [...new Set(paper.sites.slice(1).map((/** @type {any} */ site) => site.file))];
  const mapped = files.map((file) => ["--map-path", `${file}=${join(program, "paper.cpp")}`]).flat();
  const { source, sites } = dataOf(makePage(data, undefined, ...mapped));
  const lines = sites.slice(1).map((/** @type {any} */ site) => site.line);
  for (const line of lines) assert.equal(source[0].lines[line], `line ${line}`);
  assert.equal(source[0].name, "paper.cpp");
  assert.equal(dataOf(makePage(data, undefined, "--no-source", ...mapped)).source, undefined);
  execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", ...mapped, "--export", "html:with_source.html", data], { cwd: folder });
  assert.deepEqual(dataOf(join(folder, "with_source.html")).source, source);
});

test("--open gives the page to the browser of the desktop", () => {
  const programs = join(folder, "programs"), opened = join(folder, "opened");
  mkdirSync(programs);
  writeFileSync(join(programs, "xdg-open"), `#!/bin/sh\necho "$@" >${opened}\n`, { mode: 0o755 });
  const page = join(folder, "to open.html");
  execFileSync(process.env.TP_REPORT ?? "tp-report", ["-q", "--open", "-o", page, data], { env: { ...process.env, PATH: `${programs}:${process.env.PATH}` } });
  for (let i = 0; i < 50 && !existsSync(opened); ++i) execFileSync("sleep", ["0.1"]);
  assert.equal(readFileSync(opened, "utf8").trim(), page);
});

test("two pages of the same data are the same bytes", () => {
  assert.equal(readFileSync(makePage(data), "utf8"), readFileSync(plainPage, "utf8"));
});

test("--export html writes the same kind of page", () => {
  execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", "--export", "html:export.html", data], { cwd: folder });
  assert.equal(dataOf(join(folder, "export.html")).work, paper.work);
});

test("files by others are not overwritten", () => {
  const other = join(folder, "theirs.html");
  writeFileSync(other, "<!DOCTYPE html><p>theirs");
  assert.throws(() => execFileSync(process.env.TP_REPORT ?? "", ["-q", "-o", other, data], { stdio: "pipe" }), /a page of tp-report/);
  assert.equal(readFileSync(other, "utf8"), "<!DOCTYPE html><p>theirs");
});

test("each section has its question, its marks and their names", { skip }, () => seen(fullPage, async (page) => {
  assert.deepEqual(await page.locator("h2").evaluateAll((/** @type {any[]} */ all) => all.map((each) => each.lastChild.textContent)),
    ["Will it scale?", "What limits it?", "What would I gain?", "Where in my source?", "Was the machine busy?", "How large are the tasks?", "Who spawns whom?", "What changed?", "How was it measured?"]);
  for (const id of ["scale", "limits", "gains", "busy", "sizes", "structure", "changes"])
    assert.ok((await page.locator(`#${id} .mark`).count()) > 1, `marks in ${id}`);
  const unnamed = await page.locator(".mark:not([aria-label]), svg.chart:not([aria-label])").count();
  assert.equal(unnamed, 0);
  assert.equal(await page.locator(".empty").count(), 0);
}));

test("figures of the page equal those of the JSON", { skip }, () => seen(fullPage, async (page) => {
  const shown = dataOf(fullPage);
  const rows = await page.locator("table.predicted tbody tr").allInnerTexts();
  for (const run of shown.prediction.runs) {
    const row = plain(rows.find((/** @type {string} */ each) => each.startsWith(`${run.procs}\t`)) ?? "");
    assert.ok(row.includes(`${run.speedup < 9.995 ? run.speedup.toFixed(2) : run.speedup.toFixed(1)}×`), row);
    const ns = run.time;
    assert.ok(row.includes(`${ns >= 9.995e6 ? (ns / 1e6).toFixed(1) : (ns / 1e6).toFixed(2)} ms`), row);
  }
  for (const site of shown.sites.slice(1)) {
    const row = plain(await page.locator("table.sites tbody tr", { hasText: site.name }).first().innerText());
    const share = (100 * site.critical_work) / shown.span;
    assert.ok(row.includes(`${share < 9.95 ? share.toFixed(1) : Math.round(share)} %`), row);
    assert.ok(row.includes(`${(site.exclusive_work / 1e6).toFixed(2)} ms`), row);
    assert.ok(row.includes(site.invocations.toLocaleString("en-US")), row);
  }
  const limit = await page.locator(".number.limit strong").innerText();
  assert.equal(limit, `${shown.parallelism.toFixed(2)}×`);
  const map = await page.locator("#limits svg.chart").first().locator(".mark").evaluateAll((/** @type {any[]} */ all) => all.map((each) => each.getBBox().width));
  const blocks = [shown.regions[0].critical_work, shown.sites[0].critical_work - shown.regions[0].critical_work, ...shown.sites.slice(1).map((/** @type {any} */ site) => site.critical_work)];
  assert.equal(map.length, blocks.length);
  const width = map.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b + 1, 0);
  map.forEach((/** @type {number} */ each, /** @type {number} */ i) => assert.ok(Math.abs((each + 1) / width - blocks[i] / shown.span) < 0.004, `width of block ${i}`));
}));

test("functions and lines with their errors, from samples; without samples how to get them", { skip }, async () => {
  await seen(fullPage, async (page) => {
    const rows = (await page.locator("table.functions tbody tr").allInnerTexts()).map(plain);
    const of = (/** @type {number} */ part) => `${Math.round((100 * part) / full.span)} %`;
    assert.equal(rows.length, 2);
    for (const part of ["blur", "image.cpp:22", of(2_400_000), "±", of(1_200_000), "4.80 ms"]) assert.ok(rows[0].includes(part), `'${part}' in: ${rows[0]}`);
    const heading = plain(await page.locator("table.functions thead").first().innerText());
    assert.ok(heading.includes(full.what_if.mode === "optimize" ? "if 8x as fast" : "on 8 CPUs"), heading);
    assert.match(rows[0], /\d×$/);
    for (const part of ["image.cpp:24", "blur(Image&, int)", of(1_500_000)]) assert.ok(rows[1].includes(part), `'${part}' in: ${rows[1]}`);
    assert.match(plain(await page.locator("#source").innerText()), /by samples/);
    assert.match(await page.locator("#source tr[data-line='24'] code").getAttribute("title"), /by samples, in blur/);
  });
  const without = { sampling: undefined, functions: undefined, lines: undefined, no_samples: { reason: "they are not permitted", command: "as root: permit" } };
  await seen(makePage({ ...full, ...without }), async (page) => assert.match(await page.locator("#limits .empty").innerText(), /Why: they are not permitted\. as root: permit/));
});

test("locks: the one that limits most comes first, and estimates are called so", { skip }, async () => {
  await seen(fullPage, async (page) => {
    const rows = (await page.locator("table.locks tbody tr").allInnerTexts()).map(plain);
    assert.equal(rows.length, 2);
    for (const part of ["queue", "spin_mutex, image.cpp:44 and 1 more", "40", "2,000", "25 %", "3.00 ms"])
      assert.ok(rows[0].includes(part), `'${part}' in: ${rows[0]}`);
    const cells = async (/** @type {string} */ key) => (await page.locator(`table.locks tbody tr td[data-key='${key}']`).allInnerTexts()).map(plain);
    assert.deepEqual(await cells("each time"), ["6.00 µs", "6.00 µs"]);
    assert.deepEqual(await cells("no holder known"), ["20 %", "20 %"]);
    assert.deepEqual(await cells("waits charged to"), ["image.cpp:47, 60 %", "image.cpp:47, 60 %"]);
    assert.deepEqual([await cells("longest held"), await cells("objects")], [["2.00 µs", "2.00 µs"], ["1", "64"]]);
    assert.deepEqual(await cells("tried in vain"), []);
    const remedies = page.locator("table.locks tbody tr").first().locator(".remedy");
    assert.deepEqual((await remedies.allInnerTexts()).map(plain), ["700 µs (2 times as short)", "400 µs (4 locks)"]);
    assert.match(await page.locator("table.locks tbody tr td[data-key='if changed']").first().getAttribute("title"), /^on 8 CPUs: 2 times as short .*, 4 locks /);
    for (const part of ["rows", "about 80", "about ", "64"]) assert.ok(rows[1].includes(part), `'${part}' in: ${rows[1]}`);
    assert.doesNotMatch(rows[0], /about/);
    assert.match(await page.locator("table.locks tbody tr a.place").first().getAttribute("href"), /^#./);
    assert.match(plain(await page.locator("#limits").innerText()), /None of these limits the program more/);
    assert.equal((await page.locator("#limits h3").allInnerTexts()).at(-1), "Locks");
  });
  const idle = { ...full.locks[1], held: 10, waited: 10, waited_ns: 10, parallelism: 1e6 };
  await seen(makePage({ ...full, locks: [idle] }), async (page) => assert.match(await page.locator("#limits .empty").innerText(), /No lock that was observed matters/));
  await seen(makePage({ ...full, clock: { ...full.clock, hz: 0, unit: "instructions" }, locks: [idle] }), async (page) => assert.equal(await page.locator("table.locks tbody tr").count(), 1));
  await seen(makePage({ ...full, locks: [full.locks[1], idle] }), async (page) => assert.match(plain(await page.locator("#limits").innerText()), /1 lock with less is only in the JSON/));
  for (const [observed, words] of [[{ onetbb: false, c_library: false }, "Locks were not observed"], [{ onetbb: true, c_library: false }, "std::mutex"], [{ onetbb: true, c_library: true }, "No task acquired a lock"]])
    await seen(makePage({ ...full, locks: [], locks_observed: observed }), async (page) => assert.ok((await page.locator("#limits .empty").innerText()).includes(words)));
  const [first, second] = full.locks;
  await seen(makePage({ ...full, locks: [first, { ...second, parallelism: 1.5 }] }), async (page) => {
    assert.match(plain(await page.locator("#limits").innerText()), /parallelism is at most 1.5/);
    assert.deepEqual((await page.locator("#limits h3").allInnerTexts()).slice(0, 2), ["Locks", "Critical path by spawn site"]);
    assert.match(plain(await page.locator("#limits").textContent()), /the limit without locks/);
  });
  const tried = { ...idle, failed_tries: 7000, retried: full.work / 4 };
  await seen(makePage({ ...full, locks: [first, tried] }), async (page) =>
    assert.deepEqual((await page.locator("table.locks tbody tr td[data-key='tried in vain']").allInnerTexts()).map(plain), ["", "7,000, 25 %"]));
  // A lock without exclusive sections limits nothing, and comes last.
  await seen(makePage({ ...full, locks: [{ ...first, parallelism: null, bound: 0 }, second] }), async (page) => {
    assert.match(plain(await page.locator("#limits").innerText()), /None of these limits the program more/);
    assert.deepEqual((await page.locator("table.locks tbody tr td[data-key='parallelism']").allInnerTexts()).map(plain), ["40.0×", "any"]);
  });
  // Nor does one of several that only one thread took.
  await seen(makePage({ ...full, locks: [{ ...first, parallelism: 2, bound_kind: "if_same_lock" }, second] }), async (page) => {
    assert.match(plain(await page.locator("#limits").innerText()), /None of these limits the program more/);
    assert.deepEqual((await page.locator("table.locks tbody tr td[data-key='parallelism']").allInnerTexts()).map(plain), ["2.00×, if the same on other threads", "40.0×"]);
  });
  // Slept inside of its sections.
  await seen(makePage({ ...full, locks: [{ ...first, parallelism: 44.9, speedup: 2.06 }, second] }), async (page) => {
    assert.match(plain(await page.locator("#limits").innerText()), /with what is slept inside of them, speedup is at most about 2.06 by the first of these/);
    assert.deepEqual((await page.locator("table.locks tbody tr td[data-key='parallelism']").allInnerTexts()).map(plain), ["about 2.06×", "40.0×"]);
  });
  for (const [kind, words] of [["estimate", /at most about 1.50 by the first of these, whose sections were sampled\./], ["if_one_object", /at most 1.50 by the first of these, if it was one lock throughout/]])
    await seen(makePage({ ...full, locks: [{ ...second, parallelism: 1.5, bound_kind: kind }] }), async (page) => assert.match(plain(await page.locator("#limits").innerText()), words));
});

test("the page says what the terminal says: verdict and advice", () => {
  // One task is long: the advice has a number of CPUs.
  const script = join(folder, "serial.txt"), recording = join(folder, "serial");
  writeFileSync(script, `run cpus=2 hz=1000000000 same_as_time=1 unit=ns
site 1 a.cpp 12
stream 0
  thread role=main
  spawn work=500 site=1 ctx=new-exclusive
  spawn work=500 site=1 ctx=last
  wait ctx=last
    task task=newest work=400000
    task task=-1 work=100000
  wait-end
  end work=500
  thread-end
`);
  execFileSync(process.env.TP_MAKE_TRACE ?? "", [script, recording]);
  const report = JSON.parse(execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", "--json", "-", recording], { cwd: folder, encoding: "utf8" }));
  const shown = dataOf(makePage(recording));
  assert.match(report.advice, /On 8 CPUs/);
  assert.deepEqual([shown.advice, shown.verdict], [report.advice, report.verdict]);
});

test("what a remedy of a lock saves does not depend on the numbers of CPUs that the page predicts for", () => {
  const script = join(folder, "contended.txt"), recording = join(folder, "contended");
  writeFileSync(script, `run cpus=2 hz=1000000000 same_as_time=1 unit=ns locks=all c_locks_seen=1
site 1 a.cpp 12
lock-place 0 spin_mutex q.cpp 17
stream 0
  thread role=main
  lock slot=3 address=64 kind=spin_mutex
  spawn work=10000 site=1 ctx=new-exclusive
  spawn site=1 ctx=last
  wait ctx=last
    section slot=3 place=0 lead=30000 work=60000
    task work=100000
    section slot=3 place=0 lead=20000 work=60000
    task task=-1 work=100000
  wait-end
  end work=5000
  thread-end
`);
  execFileSync(process.env.TP_MAKE_TRACE ?? "", [script, recording]);
  const report = JSON.parse(execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", "--json", "-", recording], { cwd: folder, encoding: "utf8" }));
  const shown = dataOf(makePage(recording));
  assert.equal(report.findings[0].shape, "lock");
  assert.ok(report.findings[0].saves_at_most > 0);
  assert.deepEqual([shown.findings, shown.advice], [report.findings, report.advice]);
});

test("changes are compared with the limit that has the locks and arenas", { skip }, async () => {
  const limit = 2, locks = [{ ...full.locks[1], parallelism: limit, what_if: [{ change: "shorter", factor: 2, parallelism: 4 }] }];
  const file = makePage({ ...full, locks, verdict: { ...full.verdict, limit }, what_if: { ...full.what_if, parallelism_now: limit, changes: [...full.what_if.changes, { kind: "lock", index: 0, name: "the sections of queue", change: "shorter" }, { kind: "threads", index: 0, name: "the threads of the arena of image.cpp:20" }] },
    limits: [{ kind: "arena", file: "image.cpp", line: 20, least_time: 1, like_machine: false, binds: false, points: [{ factor: 2, parallelism: 3 }, { factor: 8, parallelism: 6 }] }] });
  await seen(file, async (page) => {
    assert.match(plain(await page.locator("#gains").textContent()), /now 2\.00/);
    assert.match(plain(await page.locator("#gains").textContent()), /Large dot: divided among 8 CPUs.*6\.00the threads/s);
    assert.ok((await page.locator("#gains .mark").evaluateAll((/** @type {Element[]} */ all) => all.map((each) => each.getAttribute("aria-label")))).some((/** @type {string} */ each) => each.startsWith("the sections of queue")));
    assert.equal(plain(await page.locator(".number.limit span").innerText()), `${full.parallelism.toFixed(2)}× without its locks`);
    const best = full.what_if.curves[1].points[1].parallelism;
    assert.equal(plain(await page.locator(".number.gain span").innerText()), `${(best / limit).toFixed(2)} times the limit of today`);
  });
});

test("one limit of the program: cards, chart and changes", { skip }, async () => {
  // A lock of which the limit is not proven: the headline has both.
  const locks = [{ ...full.locks[1], parallelism: 1.55, what_if: [] }];
  await seen(makePage({ ...full, locks, what_if: { ...full.what_if, parallelism_now: 1.55 }, verdict: { ...full.verdict, limit: full.parallelism } }), async (page) => {
    assert.equal(plain(await page.locator(".number.limit strong").innerText()), "1.55×");
    assert.match(plain(await page.locator("#scale svg").first().textContent()), /at most 1\.55/);
    assert.match(plain(await page.locator("#gains").textContent()), /now 1\.55/);
  });
  // No change of code raises what an arena allows.
  const limits = [{ kind: "arena", threads: 1, width: 1, like_machine: false, work: full.work, latency: 0, least_time: full.work, binds: true, text: "a.cpp:20 runs in an arena of 1 thread" }];
  // Changes of older profiles do not have it.
  const { parallelism_now: _, ...older } = full.what_if;
  await seen(makePage({ ...full, locks: [], limits, what_if: older, verdict: { ...full.verdict, limit: 1.2 } }), async (page) => {
    assert.equal(plain(await page.locator(".number.limit strong").innerText()), "1.20×");
    assert.match(plain(await page.locator(".number.limit span").innerText()), /without its limits of threads/);
    assert.equal(await page.locator(".number.gain").count(), 0);
    assert.match(plain(await page.locator("#gains").textContent()), /without that limit/);
    assert.doesNotMatch(plain(await page.locator("#gains svg").first().textContent()), /now /);
    assert.match(plain(await page.locator("#limits").textContent()), /the limit without those of threads/);
  });
});

test("a card says 'faster' only where changes are faster code", { skip }, async () => {
  for (const [mode, words] of /** @type {[string, RegExp][]} */ ([["parallelize", /were divided among 8 CPUs/], ["optimize", /were 8 times faster/]]))
    await seen(makePage({ ...full, what_if: { ...full.what_if, mode } }), async (page) => assert.match(await page.locator(".number.gain dt").innerText(), words));
});

test("without locks of oneTBB's headers, nothing is said of how the program was compiled", { skip }, () =>
  seen(makePage({ ...full, locks: [], locks_not_observed: [], locks_observed: { onetbb: true, onetbb_headers: false, c_library: true } }), async (page) => {
    const said = plain(await page.locator("#limits").innerText());
    assert.match(said, /No lock was seen to be acquired/);
    assert.doesNotMatch(said, /The program was compiled without/);
  }));

test("sites of one line, called through two wrappers, differ in legends", { skip }, async () => {
  const twice = rich();
  [4, 5].forEach((line, i) => Object.assign(twice.sites[i + 1], { name: `image.cpp:8 <- image.cpp:${line}`, file: "image.cpp", line: 8, functions: ["main"] }));
  await seen(makePage(twice), async (page) => {
    const names = (await page.locator("#limits .legend").last().locator("span").allInnerTexts()).map((/** @type {string} */ each) => each.trim());
    assert.equal(new Set(names).size, names.length, names.join(", "));
    const rows = await page.locator("table.sites tbody").innerText();
    for (const line of [4, 5]) assert.match(rows, new RegExp(`← image\\.cpp:${line}`));
  });
});

test("a recording without work has no empty pictures", { skip }, () =>
  seen(makePage({ ...structuredClone(full), work: 0, span: 0, locks: [], findings: [], sites: full.sites.map((/** @type {any} */ site) => ({ ...site, work: 0, span: 0, exclusive_work: 0, critical_work: 0 })) }), async (page) => {
    assert.equal(await page.locator("#structure svg").count(), 0);
    assert.equal(await page.locator("#busy canvas").count(), 0);
    assert.equal(await page.locator("#limits svg.chart").count(), 0);
    assert.match(await page.locator("#structure .empty").innerText(), /No work was recorded/);
    assert.match(await page.locator("#busy").innerText(), /No work was recorded, so there is no timeline/);
  }));

test("no line of the chart is above ideal", { skip }, async () => {
  const fast = rich(), one = fast.work;
  fast.locks = [];
  fast.prediction.runs = [1, 4, 8].map((procs) => ({ ...fast.prediction.runs[0], procs, time: one / procs, speedup: procs }));
  fast.prediction.scaling = [];
  await seen(makePage(fast), async (page) => {
    const highest = await page.evaluate(() => {
      const pathOf = (/** @type {string} */ name) => /** @type {SVGPathElement} */ (document.querySelector(`#scale path.${name}`));
      const pointsOf = (/** @type {SVGPathElement} */ path) => Array.from({ length: 400 }, (_, i) => path.getPointAtLength((path.getTotalLength() * i) / 399));
      const ideal = pointsOf(pathOf("ideal"));
      // By how many pixels a point of the line is above ideal, which rises.
      return Math.max(...pointsOf(pathOf("line-now")).map((point) => {
        const after = Math.max(1, ideal.findIndex((each) => each.x >= point.x)), a = ideal[after - 1], b = ideal[after];
        return a.y + ((b.y - a.y) * (point.x - a.x)) / (b.x - a.x) - point.y;
      }));
    });
    assert.ok(highest < 0.5, `${highest} px above`);
  });
});

test("the parts of all threads' time are those of the JSON, and add up", { skip }, async () => {
  const balance = { ...full.time_balance, of_them_descheduled_ticks: 9_000_000, of_them_lock_waits_ticks: 2_000_000 };
  await seen(makePage({ ...full, time_balance: balance, trace: { ...full.trace, asleep: 3_000_000, sleep_seen: true } }), async (page) => {
    const texts = (await page.locator("#busy .parts").first().locator("li").allInnerTexts()).map(plain), total = 80_000_000;
    const expected = { work: 41, asleep: 3, "waiting for locks": 2, "no CPU": 4, overhead: 5, idle: 25 };
    assert.equal(texts.length, Object.keys(expected).length);
    for (const [name, millions] of Object.entries(expected)) {
      const percent = (1e8 * millions) / total;
      assert.ok(texts.some((/** @type {string} */ each) => each.startsWith(`${name} ${percent < 9.95 ? percent.toFixed(1) : Math.round(percent)} %`)), `${name} in ${texts}`);
    }
    assert.equal(1e6 * Object.values(expected).reduce((a, b) => a + b, 0), balance.steps_ticks + balance.overhead_ticks + balance.idle_ticks);
  });
});

test("of many sites the first are shown, all by keyboard", { skip }, async () => {
  const many = structuredClone(full);
  for (let i = 0; i < 40; ++i) many.sites.push({ ...structuredClone(full.sites[7]), name: `more.cpp:${i + 1}`, file: "more.cpp", line: i + 1, critical_work: 0, exclusive_work: 0 });
  await seen(makePage(many), async (page) => {
    const rows = page.locator("table.sites tbody tr");
    assert.equal(await rows.count(), 15);
    await page.locator("input[type=search]").fill("more.cpp:40");
    assert.equal(await rows.count(), 1);
    await page.locator("input[type=search]").fill("");
    await page.locator("#source button", { hasText: "Show all 48 sites" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await rows.count(), 48);
  });
});

test("what tasks slept in", { skip }, async () => {
  const asleep = structuredClone(full), kinds = { unknown: 0, read_file: 3_000_000, clock: 1_000_000 };
  Object.assign(asleep, { latency: 4_000_000, latency_in: kinds, trace: { ...asleep.trace, asleep: 4_000_000, sleep_seen: true } });
  Object.assign(asleep.sites[2], { latency: 4_000_000, latency_in: kinds });
  await seen(makePage(asleep), async (page) => {
    const words = "3.00 ms reading files, 1.00 ms until a time by the clock";
    assert.ok(plain(await page.locator("#busy .parts li", { hasText: "asleep" }).first().innerText()).includes(words));
    const cells = page.locator("table.sites td[data-key=asleep]");
    assert.deepEqual((await cells.allInnerTexts()).map(plain).filter(Boolean), ["4.00 ms"]);
    assert.equal(plain(await page.locator("table.sites tr", { hasText: asleep.sites[2].name }).locator("td[data-key=asleep]").getAttribute("title")), words);
  });
  await seen(fullPage, async (page) => assert.equal(await page.locator("[data-key=asleep]").count(), 0));
});

test("lines of libraries are not listed", { skip }, () => seen(makePage({ ...full, lines: [...full.lines, { ...full.lines[0], file: "memcpy.S", line: 7, function: "memcpy" }] }),
  async (page) => assert.equal(await page.locator("table.lines tbody tr").count(), 1)));

test("the table sorts and filters by keyboard", { skip }, () => seen(fullPage, async (page) => {
  const names = () => page.locator("table.sites tbody th").allInnerTexts();
  const first = await names();
  await page.locator("table.sites thead button", { hasText: "tasks" }).first().focus();
  await page.keyboard.press("Enter");
  assert.ok((await names())[0].includes("image.cpp:70"));
  assert.equal(await page.locator('th[aria-sort="descending"]').innerText(), "tasks ↓".replace(" ↓", ""));
  await page.keyboard.press("Enter");
  assert.ok((await names()).at(-1)?.includes("image.cpp:70"));
  await page.locator("input[type=search]").focus();
  await page.keyboard.type("STAGE_3");
  assert.equal((await names()).length, 1);
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  assert.equal((await names()).length, first.length);
}));

test("arrow keys go from mark to mark, and show what a mark says", { skip }, () => seen(fullPage, async (page) => {
  const svg = page.locator("#limits svg.chart").first();
  await svg.focus();
  await page.keyboard.press("ArrowRight");
  const label = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
  const one = await label();
  assert.match(plain(one), /marked region noise.*critical path/);
  assert.match(plain(await page.locator("#tip").innerText()), /of the critical path/);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await label(), one);
  await page.keyboard.press("End");
  assert.match(await label(), /image.cpp:70/);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate("document.activeElement.tagName"), "svg");
  assert.ok((await page.locator("svg.chart .mark[tabindex='0']").count()) === 0);
}));

test("the timeline zooms by keyboard", { skip }, () => seen(fullPage, async (page) => {
  const range = async () => plain(await page.locator(".range").innerText());
  assert.match(await range(), /^all of /);
  await page.locator("canvas.timeline").focus();
  for (const key of ["+", "+", "ArrowRight"]) await page.keyboard.press(key);
  const zoomed = await range();
  assert.match(zoomed, / to /);
  await page.keyboard.press("ArrowLeft");
  assert.notEqual(await range(), zoomed);
  await page.keyboard.press("0");
  assert.match(await range(), /^all of /);
  const blank = await page.locator("canvas.timeline").evaluate((/** @type {any} */ canvas) => new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size);
  assert.ok(blank > 10, "a blank canvas");
}));

test("a level of the structure opens and closes by keyboard", { skip }, () => seen(fullPage, async (page) => {
  const opens = page.locator("#structure .opens").first();
  await opens.focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#structure .level").count(), 2);
  assert.equal(await page.locator('#structure [aria-expanded="true"]').count(), 1);
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#structure .level").count(), 1);
}));

for (const theme of ["light", "dark"])
  for (const width of [1440, 800, 420])
    test(`fits a window of ${width} px, ${theme}, without findings of axe-core`, { skip }, () => seen(fullPage, async (page) => {
      assert.ok((await page.evaluate("document.documentElement.scrollWidth")) <= width);
      await page.locator("details summary").click();
      await page.evaluate(axeSource());
      const found = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
      assert.deepEqual(found.violations.map((/** @type {any} */ each) => `${each.id}: ${each.nodes.length}, ${each.nodes[0].html.slice(0, 200)} ${each.nodes[0].failureSummary}`), []);
    }, { viewport: { width, height: 900 }, colorScheme: theme, bypassCSP: true }));

test("the button switches the theme", { skip }, () => seen(fullPage, async (page) => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  const first = await ground();
  await page.locator("button", { hasText: "◐" }).click();
  assert.notEqual(await ground(), first);
}));

test("prints", { skip }, () => seen(fullPage, async (page) => {
  assert.ok((await page.pdf()).length > 20_000);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".bar").isVisible(), false);
  assert.ok(await page.locator("#measured dd").first().isVisible(), "what is folded is printed");
}));

test("works without scripts: headline and figures", { skip }, async () => {
  const context = await browser.newContext({ offline: true, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("file://" + fullPage);
  assert.ok((await page.locator("h1").innerText()).length > 5);
  assert.equal(await page.locator(".number").count(), 4);
  await context.close();
});

test("each section says why it is empty", { skip }, async () => {
  const bare = structuredClone(paper);
  for (const key of ["phases", "span_profile", "time_profile", "timeline", "contexts", "source", "critical_path"]) delete bare[key];
  bare.sites = bare.sites.slice(0, 1);
  bare.work = bare.sites[0].critical_work = bare.sites[0].exclusive_work = bare.span;
  bare.prediction = { not_made: "the recording is too large", runs: [] };
  bare.run_path.not_made = "the recording is too large";
  Object.assign(bare.what_if, { curves: [], explored: [], grains: [], not_explored: "the recording is too large" });
  bare.complete = false;
  bare.incomplete_reasons = ["stream-1: cut"];
  await seen(makePage(bare, undefined, "--no-source"), async (page) => {
    const texts = (await page.locator(".empty").allInnerTexts()).join("\n");
    for (const part of ["too large", "phases", "along the critical path", "--no-source", "timeline", "No tasks", "calling contexts"])
      assert.ok(texts.includes(part), `'${part}' in: ${texts}`);
    assert.match(await page.locator(".banner").innerText(), /incomplete/);
  });
  const nothing = { schema: "", unit: "ns", work: 0, span: 0, parallelism: 1, sites: [] };
  await seen(makePage(nothing), async (page) => {
    assert.ok((await page.locator(".empty").count()) > 5);
  });
});

test("what --from first-use leaves out has its name", { skip }, async () => {
  const script = join(folder, "first_use.txt"), recording = join(folder, "first_use");
  writeFileSync(script, `run cpus=2 hz=1000000000 same_as_time=1 unit=ns
site 1 a.cpp 12
stream 0
  thread role=main
  cut work=3000 wall=1000
  spawn work=500 site=1 ctx=new-exclusive
  wait ctx=last
    task task=newest work=20000 wall=4000
  wait-end
  end work=500
  thread-end
`);
  execFileSync(process.env.TP_MAKE_TRACE ?? "", [script, recording]);
  for (const [from, expected] of [["start", 0], ["first-use", 4000]]) {
    execFileSync(process.env.TP_ANALYZE ?? "tp-analyze", ["-q", "--from", String(from), "--export", `html:${from}.html`, recording], { cwd: folder });
    const file = join(folder, `${from}.html`), { time_profile: load, time_balance: balance, measured, work } = dataOf(file);
    // Ticks are ns; the script has no time of the process, which counts where all of it does.
    if (expected > 0) assert.equal(measured.time_ns, balance.elapsed_ticks);
    assert.equal(measured.speedup, Math.round((100 * work) / measured.time_ns) / 100);
    const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
    assert.equal(sum(load.left_out), expected);
    assert.equal(sum(load.no_cpu), balance.of_them_descheduled_ticks);
    assert.equal(sum(load.running.map(sum)) + sum(load.other) + expected, balance.steps_ticks);
    await seen(file, async (page) => {
      const legend = plain(await page.locator("#busy .legend").innerText());
      assert.equal(legend.includes("left out of the profile"), expected > 0);
      assert.ok(legend.includes("running without a CPU"));
    });
  }
});

test("one number of a figure everywhere", { skip }, () => seen(fullPage, async (page) => {
  const shown = dataOf(fullPage);
  // The time on one CPU, in the summary and in the table.
  const first = plain(await page.locator("table.predicted tbody tr").first().innerText()).split("\t")[1].trim();
  assert.ok(plain(await page.locator(".number.predicted").innerText()).includes(`instead of ${first}`));
  // Code outside tasks runs one at a time.
  const main = plain(await page.locator("table.sites tbody tr", { hasText: "code outside tasks" }).innerText());
  assert.match(main, /1\.00×/);
  const { longest_chain: chain, work } = shown.sites[1];
  assert.ok(plain(await page.locator("table.sites tbody tr", { hasText: shown.sites[1].name }).first().innerText()).includes(`${(work / chain).toFixed(1)}×`));
}));

test("the map names the marked regions in code outside tasks, and its blocks add up", { skip }, () => seen(fullPage, async (page) => {
  const { regions, sites, span } = dataOf(fullPage);
  const names = await page.locator("#limits .block").evaluateAll((/** @type {Element[]} */ all) => all.map((each) => each.getAttribute("aria-label") ?? ""));
  const share = (/** @type {number} */ part) => `${Math.round((100 * part) / span)}\u00a0% of the critical path`;
  assert.ok(names.some((name) => name.startsWith("marked region noise (image.cpp:33)") && name.includes(share(regions[0].critical_work))), names.join("\n"));
  assert.ok(names.some((name) => name.startsWith("code outside tasks, not in a marked region") && name.includes(share(sites[0].critical_work - regions[0].critical_work))), names.join("\n"));
}));

test("a site leads to its line, whose words are in colors", { skip }, () => seen(fullPage, async (page) => {
  const link = page.locator("table.sites a.place").first(), line = dataOf(fullPage).sites[1].line;
  await link.focus();
  await page.keyboard.press("Enter");
  const row = page.locator(".source tr:target");
  assert.equal(await row.getAttribute("data-line"), String(line));
  // It is scrolled to, which takes its time; the policy of the page forbids waitForFunction().
  let [top, height] = [Infinity, 0];
  for (let i = 0; i < 100 && !(top > 0 && top < height); ++i) {
    await page.waitForTimeout(100);
    [top, height] = await row.evaluate((/** @type {Element} */ each) => [each.getBoundingClientRect().top, innerHeight]);
  }
  assert.ok(top > 0 && top < height, `${top} of ${height}`);
}));

test("filters of a pipeline differ in all legends; wrappers are in tables only", { skip }, async () => {
  const piped = rich();
  [1, 2, 3].forEach((i) => Object.assign(piped.sites[i], { name: `filter ${i} of image.cpp:10`, line: 10 }));
  Object.assign(piped.sites[4], { name: "ns::work(int) <- ns::wrapper(int)", file: "ns::work(int)", line: 0 });
  await seen(makePage(piped), async (page) => {
    const names = (await page.locator("#limits .legend").last().locator("span").allInnerTexts()).map((/** @type {string} */ each) => each.trim());
    assert.equal(new Set(names).size, names.length, names.join(", "));
    assert.ok(names.includes("filter 2 :10") && names.includes("work"), names.join(", "));
    assert.match(await page.locator("table.sites tbody").innerText(), /← wrapper/);
  });
});

test("OpenMP's constructs have OpenMP's words", { skip }, async () => {
  const sites = full.sites.map((/** @type {any} */ site, /** @type {number} */ i) => i === 0 || i > 2 ? site : { ...site, constructs: [["omp_parallel", "omp_for"][i - 1]], invocations: 4, tasking: { ...site.tasking, body_calls: i === 2 ? 120 : 0 } });
  await seen(makePage({ ...full, sites, run: { ...full.run, openmp: { runtime: "libomp.so.5", replaced: "" } } }), async (page) => {
    const titles = /** @type {string[]} */ (await page.evaluate("[...document.querySelectorAll('.sites td[data-key=tasks], .sites .called')].map((cell) => cell.title)"));
    assert.ok(titles.includes("4 implicit tasks"), titles.join("|"));
    assert.ok(titles.includes("4 tasks, each what a thread runs of its chunks; 120 chunks"), titles.join("|"));
    assert.match(await page.content(), /waits in barriers/);
  });
});

test("without lines, the source says that debug information is missing", { skip }, async () => {
  const bare = rich();
  delete bare.source;
  for (const site of bare.sites) Object.assign(site, { line: 0 });
  await seen(makePage(bare), async (page) => assert.match(await page.locator("#source .empty").innerText(), /debug information/));
});

test("one thread, no clock of time", { skip }, async () => {
  const events = rich();
  Object.assign(events.clock, { hz: 0, unit: "instructions" });
  events.unit = "instructions";
  events.run.cpus = events.time_balance.threads = 1;
  events.timeline.threads.length = 1;
  await seen(makePage(events), async (page) => {
    assert.match(await page.locator("#sizes .empty").innerText(), /instructions/);
    assert.match(plain(await page.locator("table.predicted tbody").innerText()), /instructions/);
  });
});

test("hostile names do nothing", { skip }, async () => {
  const hostile = rich();
  const names = ["</script><script>document.title='owned'</script>", "<!--<script>", "\u2028\u2029\u0000\u202e", "x".repeat(10_000), "<img src=x onerror=document.title='owned'>", "\"'`${}&amp;<b>", "😀".repeat(500)];
  hostile.sites.slice(1).forEach((/** @type {any} */ site, /** @type {number} */ i) => Object.assign(site, { name: names[i], file: names[i], functions: [names[(i + 1) % names.length]] }));
  hostile.run.program = names[0];
  hostile.run.arguments = names;
  hostile.regions[0].names = [names[0]];
  hostile.source[0].name = names[4];
  hostile.source[0].lines = Object.fromEntries(names.map((name, i) => [String(i + 28), name]));
  hostile.warnings = names.map((text) => ({ name: "x", text, certain: true }));
  hostile.verdict = { headline: names[0], detail: names[4], place: null };
  const file = makePage(hostile);
  assert.deepEqual(dataOf(file).sites.slice(1).map((/** @type {any} */ site) => site.name), names);
  for (const width of [1440, 420])
    await seen(file, async (page) => {
      assert.ok(!(await page.title()).startsWith("owned"));
      assert.equal(await page.locator("main img, main script").count(), 0);
      assert.ok((await page.evaluate("document.documentElement.scrollWidth")) <= width);
      assert.equal(await page.locator("h1").innerText(), names[0]);
    }, { viewport: { width, height: 900 } });
});
