import { Either } from "effect"
import { expect, it } from "vitest"
import { parse, USAGE } from "../../src/simulate/options.js"

const options = (line: string) => {
  const command = Either.getOrThrow(parse(line.split(" ").filter((word) => word !== "")))
  if (command._tag === "Help") throw new Error("It was asked for help")
  return command.options
}
const problem = (line: string): string => Either.getOrThrow(Either.flip(parse(line.split(" "))))

it("without options it is one run of a seed that is drawn, in memory", () => {
  expect(options("")).toMatchObject({ seed: undefined, runs: 1, steps: 60, isSwarm: false, backend: "memory" })
})

it("a swarm is a hundred runs, unless an option gives the number or the duration", () => {
  expect(options("--swarm").runs).toBe(100)
  expect(options("--swarm --runs 7").runs).toBe(7)
  expect(options("--swarm --for 10m")).toMatchObject({ runs: Infinity, timeMillis: 600_000 })
})

it("a guided search is a swarm; it goes with a corpus, and with nothing that fixes its plans", () => {
  expect(options("--guided --corpus found --for 10m")).toMatchObject({
    isGuided: true,
    isSwarm: true,
    corpus: "found",
    timeMillis: 600_000
  })
  for (const [args, refusal] of [
    ["--corpus found", "--corpus needs --guided"],
    ["--lines", "--lines needs --guided"],
    ["--guided --twice", "leave out --twice and --plan"],
    ["--guided --plan p.json", "leave out --twice and --plan"]
  ] as const) {
    expect(Either.getOrElse(Either.flip(parse(args.split(" "))), () => "accepted")).toContain(refusal)
  }
})

it("programs are called, unless requests are asked for", () => {
  expect(options("").driver).toBe("programs")
  expect(options("--over http").driver).toBe("http")
  expect(problem("--over smoke")).toContain("--over must be one of programs, http")
})

it("all that it can do is in its help", () => {
  expect(Either.getOrThrow(parse(["--help"]))._tag).toBe("Help")
  for (const name of [
    "seed",
    "runs",
    "for",
    "steps",
    "swarm",
    "guided",
    "corpus",
    "lines",
    "plan",
    "twice",
    "shrink",
    "save",
    "trace",
    "html",
    "compare",
    "backend",
    "over"
  ]) {
    expect(USAGE).toContain(`--${name} `)
  }
})

it.each([
  ["--seed one", "--seed must be a whole number"],
  ["--seed=-1", "--seed must be a whole number"],
  ["--seed -1", "The value of --seed is missing or begins with a dash. Write --seed=VALUE."],
  ["--runs 0", "--runs must be a whole number from 1"],
  ["--steps 1.5", "--steps must be a whole number"],
  ["--for 60", "--for must be a time such as"],
  ["--for 0s", "--for"],
  ["--for 60s --runs 3", "--for and --runs"],
  ["--backend mysql", "--backend must be one of memory, embedded, postgres"],
  ["--backend embedded --shrink", "--shrink needs --backend memory"],
  ["--plan file.json --seed 3", "--plan is a single run"],
  ["--plan file.json --swarm", "--plan is a single run"],
  ["--compare a.jsonl", "--compare needs --html"],
  ["--sed 3", "--sed"]
])("%s is refused with a sentence that names the option", (line, words) => {
  expect(problem(line)).toContain(words)
  expect(problem(line)).toMatch(/^[^\n]*[^.\n]\.$/)
})
