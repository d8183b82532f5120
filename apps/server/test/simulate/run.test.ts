import { Simulation } from "@place-access/domain/testing"
import { ConfigProvider, Effect, Either } from "effect"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { plants } from "../../../../packages/domain/test/simulation/plants/all.js"
import { parse } from "../../src/simulate/options.js"
import { shrink, simulate } from "../../src/simulate/run.js"
import { consent } from "../support/steps.js"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-run-"))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** Collects what the effect prints. */
const printed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const say = (...args: ReadonlyArray<unknown>) => Effect.sync(() => void lines.push(args.join(" ")))
    const console = { ...(yield* Effect.console), log: say, error: say }
    const ended = yield* Effect.either(Effect.withConsole(effect, console))
    return { ended, text: lines.join("\n") }
  })

const run = (line: string, environment: Readonly<Record<string, string>> = {}) => {
  const command = Either.getOrThrow(parse(line.split(" ")))
  if (command._tag === "Help") throw new Error("It is no run")
  const provider = ConfigProvider.fromMap(new Map(Object.entries(environment)))
  return Effect.runPromise(printed(Effect.withConfigProvider(simulate(command.options), provider)))
}

it("a run that throws ends the search as a failing result: its plan is saved, and the way to repeat it is printed", async () => {
  const plan = join(folder, "plan.json")
  // No server listens at this port, so the run throws when it opens its database.
  const { ended, text } = await run(
    `--seed 5 --runs 9 --steps 3 --backend postgres --html ${plan}.html --save ${plan}`,
    {
      SIMULATE_DATABASE_URL: "postgres://postgres@127.0.0.1:9/postgres"
    }
  )
  expect(Either.isLeft(ended) && ended.left.message).toBe("1 of the runs broke a rule or could not be run.")
  expect(text).toContain("Seed 5 could not be run: ")
  expect(text).toContain("To repeat: npm run simulate -- --seed 5 --steps 3 --backend postgres\n")
  expect(text).not.toContain("Seed 6")
  expect(JSON.parse(await readFile(plan, "utf8"))).toMatchObject({ seed: 5 })
})

it("a guided search overwrites no plan of its folder, also when it ends before it has run all of them", async () => {
  const corpus = join(folder, "corpus")
  await mkdir(corpus)
  const names = ["a.json", "plan-00001.json", "plan-00002.json", "plan-00003.json"]
  const text = (index: number) => `${JSON.stringify(Simulation.Swarm.plan(index + 1, 20), null, 2)}\n`
  for (const [index, name] of names.entries()) await writeFile(join(corpus, name), text(index))
  const { text: said } = await run(`--guided --seed 9 --steps 20 --runs 3 --corpus ${corpus}`)
  expect(said).toContain(`Wrote 0 plans to ${corpus}.`)
  expect((await readdir(corpus)).sort()).toEqual(names)
  for (const [index, name] of names.entries()) expect(await readFile(join(corpus, name), "utf8")).toBe(text(index))
  await run(`--guided --seed 9 --steps 20 --runs 9 --corpus ${corpus}`)
  const kept = await readdir(corpus)
  expect(kept.length).toBeGreaterThan(names.length)
  await run(`--guided --seed 9 --steps 20 --runs ${kept.length} --corpus ${corpus}`)
  expect(await readdir(corpus)).toEqual(kept)
})

it("a guided search overwrites no plan that somebody edited in its file, and does not count it as written", async () => {
  const corpus = join(folder, "edited")
  const line = `--guided --seed 9 --steps 20 --runs 1 --corpus ${corpus}`
  expect((await run(line)).text).toContain(`Wrote 1 plans to ${corpus}.`)
  const [name = ""] = await readdir(corpus)
  const edited = JSON.stringify({ ...Simulation.Swarm.plan(9, 20), steps: [] })
  await writeFile(join(corpus, name), edited)
  const { ended, text } = await run(line.replace("--runs 1", "--runs 2"))
  expect(Either.isRight(ended)).toBe(true)
  expect(await readFile(join(corpus, name), "utf8")).toBe(edited)
  expect(text).toContain(`Wrote 0 plans to ${corpus}.`)
})

it("a guided search whose folder cannot be used ends before the first run", async () => {
  const file = join(folder, "no-folder")
  await writeFile(file, "")
  const { ended, text } = await run(`--guided --seed 9 --steps 3 --runs 1 --corpus ${file}`)
  expect(Either.isLeft(ended) && ended.left.message).toContain(`--corpus ${file} cannot be used: `)
  expect(text).not.toContain("situations")
})

it("Control-C ends the shrinking of a run: what is shortest until then stays", async () => {
  const sabotage = plants.find(({ oracle }) => oracle === "T1")?.sabotage
  const me = { do: "call", connection: 0, back: 0, isFresh: false, ask: { about: "me" }, purpose: "fitting" } as const
  const steps = [consent(), me, { do: "look", app: 0 }, { do: "wait", ms: 5_000_000 }, me, { do: "look", app: 0 }]
  const plan = Simulation.readPlan({ ...Simulation.Swarm.plan(5), faults: {}, steps })
  const others = process.listeners("SIGINT")
  const config = { sabotage } as Parameters<typeof shrink>[1]
  const shrinking = Effect.runPromise(printed(Effect.scoped(shrink(Simulation.runPlanSync(plan, config), config))))
  // Waits for two turns of the event loop. By then, the shrinking (the search for a shorter failing plan) has ended its
  // first run, so Control-C comes in the middle of the search.
  for (let n = 0; n < 2; n++) await new Promise((resolve) => setTimeout(resolve, 0))
  process.emit("SIGINT")
  const { ended } = await shrinking
  const { attempts, result } = Either.getOrThrow(ended)
  expect(attempts).toBeLessThan(10)
  expect(result.violations.map(({ invariant }) => invariant)).toContain("T1")
  expect(process.listeners("SIGINT")).toEqual(others)
})
