import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Answer, sentences } from "../../src/virtual/sentences.js"

const said = (more: object) =>
  sentences(
    Schema.decodeUnknownSync(Answer)(
      JSON.stringify({
        now: "2026-01-06T09:10:00.000Z",
        rate: 0,
        happened: [{ at: "2026-01-05T09:10:30.000Z", what: "event", type: "place.enter" }],
        ...more
      })
    )
  ).split("\n")

const EVENT = "2026-01-05T09:10:30.000Z  event    place.enter"
const CLOCK = "The clock shows 2026-01-06T09:10:00.000Z and stands still."

describe("what npm run clock prints", () => {
  it("is a line for each entry, and what the clock shows", () => {
    expect(said({})).toEqual([EVENT, CLOCK])
  })

  it.each([
    [412, "412 more are left out: move the clock in smaller steps."],
    [1, "1 more is left out: move the clock in smaller steps."]
  ])("says that the server left out %d entries", (left_off, sentence) => {
    expect(said({ left_off })).toEqual([EVENT, sentence, CLOCK])
  })
})
