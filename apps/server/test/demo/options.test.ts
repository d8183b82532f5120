import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/demo/options.js"

const problem = (...argv: ReadonlyArray<string>) =>
  Either.match(parse(argv, "walk.csv"), { onLeft: ({ message }) => message, onRight: () => "accepted" })

describe("the arguments of the demo", () => {
  it("--pace says which numbers it may be", () => {
    expect(problem("--pace", "99999")).toBe("accepted")
    for (const pace of ["100000", "fast"]) {
      expect(problem("--pace", pace)).toBe(
        "--pace must be a number of milliseconds, from 0 to 99999. Try: npm run demo -- --help"
      )
    }
  })

  it("an unknown argument is refused in one line, without the whole help", () => {
    expect(problem("--fast")).toMatch(/^[^\n]*'--fast'[^\n]* Try: npm run demo -- --help$/)
  })

  it("--help is not refused as unknown: the usage follows alone", () => {
    for (const flag of ["--help", "-h"]) {
      expect(Either.getOrThrow(parse(["--exit", flag], "walk.csv"))).toBe("help")
    }
  })
})
