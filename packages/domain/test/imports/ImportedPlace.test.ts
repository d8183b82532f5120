import { ImportedPlace } from "@place-access/domain/imports"
import { Place } from "@place-access/domain/places"
import { UserId, Vault } from "@place-access/domain/shared"
import { describe, expect, it } from "vitest"
import { CIRCLE, MINUTE, NOON, time } from "../support/rules.js"

const HASH = Vault.Hash.make("0".repeat(64))

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
  it("has a circle", () => {
    const isPossible = (circles: number) => ImportedPlace.isPossible(place(circles), time(NOON + MINUTE))
    expect([0, 1, 201].map(isPossible)).toEqual([false, true, true])
  })

  it("keeps its newest 200 circles, of which the first holds for all of the past", () => {
    const kept = (circles: number) =>
      ImportedPlace.returned(UserId.make("usr_1"), place(circles), { sha256: () => HASH })?.shapes.map(
        ({ geometryVersion, validFrom }) => [geometryVersion, validFrom]
      )
    expect(kept(200)).toEqual(place(200).shapes.map((shape) => [shape.geometryVersion, shape.validFrom]))
    expect(kept(202)?.length).toBe(200)
    expect(kept(202)?.slice(0, 2)).toEqual([
      [3, null],
      [4, NOON + 3]
    ])
    expect(kept(202)?.at(-1)).toEqual([202, NOON + 201])
  })
})
