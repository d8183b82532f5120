import { expect, it } from "vitest"
import { chosen, help, parse } from "../../bench/harness/options.js"

const NAMES = ["presence", "refresh"]

it("without arguments every row is measured in three rounds, and nothing is installed", () => {
  expect(parse([], NAMES)).toEqual({
    help: false,
    only: undefined,
    peers: false,
    rounds: 3,
    json: undefined,
    profile: undefined,
    compare: undefined,
    log: false
  })
})

it("rows are chosen by name, one or several", () => {
  expect(parse(["--only", "presence,refresh"], NAMES)).toMatchObject({ only: NAMES })
  expect(parse(["--only", "presence", "--only", "refresh"], NAMES)).toMatchObject({ only: NAMES })
})

it.each([
  [["--only", "presense"], "--only names a row that there is not. The rows are: presence, refresh."],
  [["--rounds", "2"], "a median of fewer says nothing"],
  [["--rounds", "many"], "a whole number"],
  [["--profile", "folder", "--log"], "leave out --log and --compare"],
  [["--fast"], "--fast"],
  [["presence"], "presence"]
])("what cannot be meant is refused and explained: %s", (args, words) => {
  expect(parse(args, NAMES)).toContain(words)
})

it("a row that is measured only by name is left out of a whole run", () => {
  const [short, long] = [{ name: "presence" }, { name: "several", onlyByName: true }]
  expect(chosen([short, long], { only: undefined })).toEqual([short])
  expect(chosen([short, long], { only: ["several"] })).toEqual([long])
})

it("help names every row with the time that it takes", () => {
  const text = help([
    { name: "presence", path: "a question", seconds: 50 },
    { name: "several", path: "two servers", seconds: 210, onlyByName: true }
  ])
  expect(text).toMatch(
    /presence +50 s +a question\n\nRows that are measured only when --only names them:\n +several +210 s/
  )
})
