import { Simulation } from "@place-access/domain/testing"
import { CannotStart } from "@place-access/worker"
import { Effect, Either } from "effect"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest"
import { parse, type SimulateCommand } from "../../src/simulate/options.js"
import { type Running, simulate } from "../../src/simulate/run.js"

const startTwin: Running["startTwin"] = () =>
  Effect.succeed({ hash: () => new CannotStart({ message: "The other process ended." }) })

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "place-access-failing-"))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** Each printed line, with the number of SIGINT listeners when it was printed. Control-C sends SIGINT. */
const listening: Array<readonly [line: string, count: number]> = []
beforeEach(() => void listening.splice(0))

const run = (line: string, runPlan: Running["runPlan"], others?: Partial<Running>) =>
  runWith(Either.getOrThrow(parse(line.split(" "))), runPlan, others)

const runWith = async (command: SimulateCommand, runPlan: Running["runPlan"], others?: Partial<Running>) => {
  if (command._tag === "Help") throw new Error("It is no run")
  const say = (...args: ReadonlyArray<unknown>) =>
    Effect.sync(() => void listening.push([args.join(" "), process.listenerCount("SIGINT")]))
  const ended = await Effect.runPromise(
    Effect.gen(function* () {
      const console = { ...(yield* Effect.console), log: say, error: say }
      return yield* Effect.either(
        Effect.withConsole(simulate(command.options, { runPlan, startTwin, ...others }), console)
      )
    })
  )
  return { message: Either.isLeft(ended) ? ended.left.message : "", text: listening.map(([text]) => text).join("\n") }
}

/** Makes a `runPlan` in which the run with this seed throws, and every earlier run breaks a rule. */
const throwsAt =
  (seed: number): typeof Simulation.runPlan =>
  async (plan) => {
    if (plan.seed === seed) throw new Error("out of order")
    const violations = [{ invariant: "T1", at: 0, detail: "a rule" }]
    return { ...Simulation.runPlanSync(plan), violations }
  }

it("a run that throws is what is saved, though an earlier run broke a rule; it is not shrunk", async () => {
  const file = join(folder, "plan.json")
  const { message, text } = await run(`--seed 5 --runs 9 --steps 3 --shrink --save ${file}`, throwsAt(6))
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ seed: 6 })
  expect(text).not.toContain("Shrinking")
  expect(text).toContain("2 runs · ")
  expect(text).toContain("rules broken 1 times · 1 run could not be run")
  expect(message).toBe("2 of the runs broke a rule or could not be run.")
})

it("a run that throws breaks no rule, and the command does not propose to shrink it", async () => {
  const { text } = await run("--seed 5 --steps 3", throwsAt(5))
  expect(text).toContain("no rule broken · 1 run could not be run")
  expect(text).not.toContain("--shrink")
})

it.each([
  ["--seed 5 --steps 3", "--seed 5 --steps 3"],
  ["--swarm --seed 5 --runs 1", "--swarm --seed 5 --runs 1"],
  ["--swarm --seed 5 --runs 1 --steps 3", "--swarm --seed 5 --runs 1 --steps 3"]
])("%s: a broken rule is printed with the command that repeats its run", async (line, repetition) => {
  const { text } = await run(line, throwsAt(0))
  expect(text).toContain(`Seed 5 breaks T1 at entry 0: a rule\nTo repeat: npm run simulate -- ${repetition}\n`)
})

it("a broken rule of a plan names no seed, and the plan of a guided run is repeated from a file", async () => {
  const file = join(folder, "my plan.json")
  await writeFile(file, JSON.stringify({ ...Simulation.Swarm.plan(5, 3), steps: [] }))
  const options = Either.getOrThrow(parse(["--plan", file]))
  const { text } = await runWith(options, throwsAt(0))
  expect(text).toContain(`The plan breaks T1 at entry 0: a rule\nTo repeat: npm run simulate -- --plan '${file}'\n`)
  const guided = await run("--guided --seed 5 --runs 1 --steps 3", throwsAt(0))
  expect(guided.text).toContain("To repeat: write its plan with --save FILE, then npm run simulate -- --plan FILE\n")
})

it("the search gives Control-C back before a failing run is shrunk or explained", async () => {
  const others = [() => undefined, () => undefined]
  for (const listener of others) process.on("SIGINT", listener)
  const before = process.listenerCount("SIGINT")
  await run("--seed 5 --steps 3", throwsAt(0))
  for (const listener of others) process.off("SIGINT", listener)
  const counts = (part: string) => listening.filter(([line]) => line.includes(part)).map(([, count]) => count)
  expect(counts("Seed 5 breaks T1 at entry 0")).toEqual([1])
  expect(counts("--shrink would")).toEqual([before])
})

it("a file that cannot be written is refused before the first run", async () => {
  for (const option of ["save", "trace", "html"]) {
    for (const path of [folder, join(folder, "none", "file")]) {
      const { message, text } = await run(`--seed 5 --steps 3 --${option} ${path}`, throwsAt(5))
      expect(message).toContain(`--${option} ${path} cannot be written: E`)
      expect(text).not.toContain("could not be run")
    }
  }
})

it("when a file of the search cannot be written, its other findings are still named", async () => {
  const broken = "1 of the runs broke a rule or could not be run."
  // At the start of the search the file can be written. Then the test makes a folder with the name of the file.
  const file = join(folder, "taken")
  const taking: Running["runPlan"] = async (plan) => {
    await mkdir(file, { recursive: true })
    return throwsAt(0)(plan)
  }
  const twice = await run(`--seed 5 --steps 3 --twice --save ${file}`, taking)
  expect(twice.message.split("\n")).toEqual([
    expect.stringContaining(`--save ${file} cannot be written: `),
    "The other process ended.",
    broken
  ])
  await rm(file, { recursive: true })
  const corpus = join(folder, "corpus")
  const removing: Running["runPlan"] = async (plan) => {
    await rm(corpus, { recursive: true })
    return taking(plan)
  }
  const guided = await run(`--guided --seed 5 --runs 1 --steps 3 --corpus ${corpus} --save ${file}`, removing)
  expect(guided.message.split("\n")).toEqual([
    expect.stringContaining(`--corpus ${corpus} cannot be written: `),
    expect.stringContaining(`--save ${file} cannot be written: `),
    broken
  ])
})

it("when the other process of --twice ends early, what the search found is still printed and saved", async () => {
  const file = join(folder, "twice.json")
  const { message, text } = await run(`--seed 5 --runs 9 --steps 3 --twice --save ${file}`, throwsAt(0))
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ seed: 5 })
  expect(text).toContain("1 run · ")
  expect(message).toBe("The other process ended.\n1 of the runs broke a rule or could not be run.")
})

it("a step that takes long is printed while it goes on: a run, and the wait for the other process of --twice", async () => {
  const result = Simulation.runPlanSync(Simulation.Swarm.planOfAll(5, 3))
  const said = (step: string) =>
    vi.waitFor(() => expect(listening.map(([text]) => text).join("\n")).toContain(step), 10_000)
  const slow: Running["runPlan"] = async () => {
    await said("Run 1, of seed 5, goes on · ")
    return result
  }
  const hash = () =>
    Effect.as(
      Effect.promise(() => said("The other process of --twice is not as far yet · ")),
      result.traceHash
    )
  const { message } = await run("--seed 5 --steps 3 --twice", slow, {
    sayMillis: 50,
    startTwin: () => Effect.succeed({ hash })
  })
  expect(message).toBe("")
})
