import { Either } from "effect"
import { expect, it } from "vitest"
import { parse, USAGE } from "../../src/simulate/options.js"

const options = (line: string) => {
  const asked = Either.getOrThrow(parse(line.split(" ").filter((word) => word !== "")))
  if (asked._tag === "Help") throw new Error("It was asked for help")
  return asked.options
}
const problem = (line: string): string => Either.getOrThrow(Either.flip(parse(line.split(" "))))

it("without options it is one run of a seed that is drawn, in memory", () => {
  expect(options("")).toMatchObject({ seed: undefined, runs: 1, steps: 60, isSwarm: false, backend: "memory" })
})

it("a swarm is a hundred runs, unless it is told how many or how long", () => {
  expect(options("--swarm").runs).toBe(100)
  expect(options("--swarm --runs 7").runs).toBe(7)
  expect(options("--swarm --time 10m")).toMatchObject({ runs: Infinity, timeMillis: 600_000 })
})

it("all that it can do is in its help", () => {
  expect(Either.getOrThrow(parse(["--help"]))._tag).toBe("Help")
  for (const name of [
    "seed",
    "runs",
    "time",
    "steps",
    "swarm",
    "plan",
    "twice",
    "shrink",
    "save",
    "trace",
    "html",
    "backend"
  ]) {
    expect(USAGE).toContain(`--${name} `)
  }
})

it.each([
  ["--seed one", "--seed must be a whole number"],
  ["--seed -1", "--seed"],
  ["--runs 0", "--runs must be a whole number from 1"],
  ["--steps 1.5", "--steps must be a whole number"],
  ["--time 60", "--time must be a time such as"],
  ["--time 0s", "--time"],
  ["--time 60s --runs 3", "--time and --runs"],
  ["--backend mysql", "--backend must be one of memory, embedded, postgres"],
  ["--backend embedded --shrink", "--shrink needs --backend memory"],
  ["--plan file.json --seed 3", "--plan is a single run"],
  ["--sed 3", "--sed"]
])("%s is refused with a sentence that names the option", (line, words) => {
  expect(problem(line)).toContain(words)
})
