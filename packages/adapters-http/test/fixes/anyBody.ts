import { FastCheck as fc } from "effect"
import * as Recorded from "./recorded.js"

/** Values with which the test replaces parts of a recorded body. */
const JUNK: ReadonlyArray<unknown> = [
  null,
  true,
  "",
  "NaN",
  "-1",
  "1e999",
  "2026-03-01T12:00:00Z",
  "0x10",
  "\u0000",
  0,
  -0,
  -1,
  0.5,
  1e300,
  8.64e15,
  253_402_300_800_000,
  -1e15,
  [],
  {},
  [[[]]]
]

/** Bodies of phone apps with junk in some places, and arbitrary JSON. */
export const anyBody = (at: number): fc.Arbitrary<unknown> => {
  const recorded: ReadonlyArray<unknown> = [
    { locations: [Recorded.overlandFix(at), Recorded.overlandVisit(at, at, null), Recorded.overlandAction(at)] },
    Recorded.owntracksIos(at),
    Recorded.traccarClient("dev", at),
    [Recorded.traccarSdk("dev", at)]
  ]
  const changes = fc.array(fc.tuple(fc.nat(60), fc.constantFrom(...JUNK)), { maxLength: 4 })
  return fc.oneof(
    fc.jsonValue(),
    fc
      .tuple(fc.constantFrom(...recorded), changes)
      .map(([body, each]) => each.reduce((changed: unknown, [place, junk]) => replaced(changed, place, junk), body))
  )
}

/**
 * The body with `junk` in place of the value number `place`. The count includes all values of the body, at every depth.
 */
const replaced = (body: unknown, place: number, junk: unknown): unknown => {
  let passed = 0
  return JSON.parse(JSON.stringify(body), (_, value: unknown) => (passed++ === place ? junk : value)) as unknown
}
