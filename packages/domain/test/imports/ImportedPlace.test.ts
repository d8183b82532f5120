import { ImportedPlace } from "@place-access/domain/imports"
import { Place } from "@place-access/domain/places"
import { describe, expect, it } from "vitest"
import { CIRCLE, MINUTE, NOON, time } from "../support/rules.js"

const place = (circles: number): ImportedPlace.ImportedPlace => ({
  origin: "plc_1",
  label: Place.Label.make("Home"),
  kind: "home",
  createdAt: time(NOON),
  archivedAt: null,
  shapes: Array.from({ length: circles }, (_, index) => ({
    geometryVersion: index + 1,
    validFrom: index === 0 ? null : time(NOON + index),
    circle: CIRCLE
  }))
})

describe("a place of an archive that somebody may have made up [exports-7]", () => {
  it("has 1 to 200 circles", () => {
    const isPossible = (circles: number) => ImportedPlace.isPossible(place(circles), time(NOON + MINUTE))
    expect([0, 1, 200, 201].map(isPossible)).toEqual([false, true, true, false])
  })
})
