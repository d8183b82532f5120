import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { commandOf } from "../support/commandOf.js"
import { consent, enterRule } from "../support/steps.js"

interface Ended {
  readonly code: number
  readonly out: string
  readonly error: string
}

const simulate = (...args: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    // An option and its value may be given as one text, such as "--runs 3".
    execFile(
      process.execPath,
      [...commandOf("simulate"), ...args.flatMap((arg) => (arg.startsWith("--") ? arg.split(" ") : [arg]))],
      { timeout: 500_000 },
      (error, out, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, error: stderr })
      }
    )
  })

/** Starts a search, presses Control-C when the output matches, and returns the exit code and the whole output. */
const interrupted = async (args: ReadonlyArray<string>, at: RegExp): Promise<[code: unknown, text: string]> => {
  const child = spawn(process.execPath, [...commandOf("simulate"), ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const output: Array<string> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(String(chunk)))
  // `ended` never rejects. When the search does not end, the test therefore compares `ended` with 0, fails, and shows
  // the output of the search.
  const ended = once(child, "close", { signal: AbortSignal.timeout(500_000) }).then(
    ([code]) => code as number | null,
    () => (child.kill("SIGKILL"), "it did not end")
  )
  while (!at.test(output.join("")) && child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.kill("SIGINT")
  return [await ended, output.join("")]
}

/**
 * A plan in which faults are on when the person Ana comes home. The first attempt of the webhook to her app fails, and
 * the second one arrives.
 */
const HOMECOMING = {
  seed: 3,
  scheduling: "random",
  workers: 1,
  faults: { "port.unknown": 0.02 },
  people: 1,
  apps: 1,
  steps: [
    consent(),
    enterRule(0),
    { do: "script", endpoint: 0, replies: [500, 200] },
    { do: "walk", way: "in", person: 0, phone: 0, place: 0, metres: 100, accuracyM: 10, pauseMs: 60_000 },
    { do: "call", connection: 0, back: 0, isFresh: true, ask: { about: "latest" }, purpose: "fitting" }
  ]
}

describe("npm run simulate", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "place-access-simulate-"))
  })
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  it("runs seeds in two processes with equal traces, and writes the plan, the trace and the page", async () => {
    const files = ["plan.json", "trace.jsonl", "page.html"].map((name) => join(folder, name))
    const [plan = "", trace = "", page = ""] = files
    const { code, error, out } = await simulate(
      "--swarm --seed 5 --runs 2 --steps 20 --twice",
      "--save",
      plan,
      "--trace",
      trace,
      "--html",
      page
    )
    expect(error).toBe("")
    expect(code).toBe(0)
    expect(out).toMatch(/2 runs · \d+ steps\/s · \d+ virtual days? · no rule broken/)
    const lines = (await readFile(trace, "utf8")).trim().split("\n")
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ i: 0 })
    expect(await readFile(page, "utf8")).toContain("<title>Simulation, seed 6</title>")
    const again = await simulate("--plan", plan, "--trace", `${trace}.again`)
    expect(again.code).toBe(0)
    expect(await readFile(`${trace}.again`, "utf8")).toBe(await readFile(trace, "utf8"))
    const compared = await simulate("--seed 5 --steps 20 --html", page, "--compare", trace)
    expect(compared.code).toBe(0)
    expect(await readFile(page, "utf8")).toMatch(/The runs part at entry \d+/)
    const refused = await simulate("--seed 5 --html", page, "--compare", plan)
    expect([refused.code, refused.error]).toEqual([64, expect.stringContaining("cannot be used: it is not JSON")])
  })

  it("runs one plan in two processes, in memory and over the embedded database, with equal traces", async () => {
    const plan = join(folder, "both.json")
    await writeFile(plan, JSON.stringify(HOMECOMING))
    const [inMemory, embedded] = await Promise.all([
      simulate("--hash-only --backend memory --plan", plan),
      simulate("--hash-only --backend embedded --plan", plan)
    ])
    expect(inMemory).toMatchObject({ code: 0, error: "" })
    expect(inMemory.out).toMatch(/^[0-9a-f]{64}\n$/)
    expect(embedded).toEqual(inMemory)
  })

  it("says the seed that it drew", async () => {
    const { code, out } = await simulate("--steps", "1")
    expect(code).toBe(0)
    expect(out).toMatch(/^--seed \d+$/m)
  })

  it("a wrong option and a plan that is none end it with a sentence", async () => {
    const wrong = await simulate("--runs", "many")
    expect(wrong.code).toBe(64)
    expect(wrong.error.trim()).toMatch(/^--runs must be a whole number .* Try: npm run simulate -- --help$/)
    const file = join(folder, "none.json")
    await writeFile(file, '{"seed": 1, "workers": 1, "people": 1, "apps": 1}')
    const none = await simulate("--plan", file)
    expect(none.code).toBe(64)
    expect(none.error).toContain(`--plan ${file} cannot be used: steps is missing.`)
    await writeFile(file, "what stands in it")
    const text = await simulate("--plan", file)
    expect([text.code, text.error.trim()]).toEqual([64, `--plan ${file} cannot be used: it is not JSON.`])
  })

  it("a search that writes no files ends with Control-C after the run that is under way, and prints its summary", async () => {
    const [code, text] = await interrupted("--swarm --seed 5 --steps 5 --for 10m".split(" "), /steps\/s/)
    expect([code, text]).toEqual([0, expect.stringMatching(/\d+ runs? · (?!.* · seed \d).*\n$/)])
  })

  it("a guided search ends with Control-C after the run that is under way: what was reached, and the kept plans", async () => {
    const corpus = join(folder, "corpus")
    const args = [..."--guided --seed 5 --steps 5 --for 10m --corpus".split(" "), corpus]
    const [code, text] = await interrupted(args, /plans kept/)
    expect([code, text]).toEqual([0, expect.stringMatching(/Never reached \(\d+ marks\):/)])
    const kept = (await readdir(corpus)).length
    expect(text).toContain(`Wrote ${kept} plans to ${corpus}.`)
    const again = await simulate("--guided --seed 6 --steps 5 --runs 1 --corpus", corpus)
    expect([again.code, again.error]).toEqual([0, ""])
    expect((await readdir(corpus)).length).toBe(kept)
  })

  it("with --lines a search says which lines of the programs no run reached", async () => {
    const searched = await simulate("--guided --lines --seed 5 --steps 5 --runs 2")
    expect([searched.code, searched.error]).toEqual([0, ""])
    // Two plans of five steps run only a part of the code. The report must list lines that never ran, such as the
    // refusal of a suspended account's token.
    expect(searched.out).toMatch(/Never run, of packages\/domain\/src \(\d+ lines/)
    expect(searched.out).toMatch(/^ {2}tokens\/\w+\.ts: \d+(?:, \d+)*$/m)
  })
})
