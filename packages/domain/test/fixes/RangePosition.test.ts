import { type Fix, RangePosition } from "@place-access/domain/fixes"
import { DeviceId, type Page, UserId } from "@place-access/domain/shared"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { NOON, time } from "../support/rules.js"

const fixAt = (after: number, index: number): Fix.StoredFix => ({
  userId: UserId.make("usr_1"),
  deviceId: DeviceId.make(`dev_${index}`),
  capturedAt: time(NOON + after),
  receivedAt: time(NOON + after),
  lat: 1,
  lon: 2,
  accuracyM: 5,
  altitudeM: null,
  speedMps: null,
  courseDeg: null
})

/**
 * Reads all pages. Before each page except the first, the fixes with the times `deleted(page)` are removed from the
 * store.
 */
const readAll = (
  fixes: ReadonlyArray<Fix.StoredFix>,
  limit: number,
  deleted: (page: number) => ReadonlyArray<number>
) => {
  const shown: Array<Fix.StoredFix> = []
  let stored = fixes
  let after: Page.PagePosition | undefined
  for (let page = 0; page < 100; page++) {
    if (page > 0) stored = stored.filter(({ capturedAt }) => !deleted(page).includes(capturedAt - NOON))
    const position = RangePosition.start(time(NOON), after)
    const rest = stored.filter(({ capturedAt }) => capturedAt >= position.from)
    const { items, next } = RangePosition.page(rest, limit, position)
    shown.push(...items)
    if (next === undefined) return { shown, left: stored }
    after = next
  }
  throw new Error("the pages do not end")
}

const idsOf = (fixes: ReadonlyArray<Fix.StoredFix>) => fixes.map(({ deviceId }) => deviceId)

describe("the pages of a range of fixes [answers-7]", () => {
  it("after the instant at which a page ended was deleted, the next page has every fix after that instant", () => {
    const times = [10, 20, 30, 30, 30, 40, 50, 60, 70]
    const { shown } = readAll(times.map(fixAt), 5, (page) => (page === 1 ? [30] : []))
    expect(shown.map(({ capturedAt }) => capturedAt - NOON)).toEqual(times)
  })

  it("whichever instants are deleted between two pages, no fix that is left is missing, and without deletions none comes twice", () => {
    const times = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 30 })
    const deletions = fc.array(fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 2 }), { maxLength: 10 })
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 6 }), deletions, (all, limit, deleted) => {
        const fixes = all.map(fixAt)
        const whole = readAll(fixes, limit, () => [])
        expect(idsOf(whole.shown).sort()).toEqual(idsOf(fixes).sort())
        const { left, shown } = readAll(fixes, limit, (page) => deleted[page - 1] ?? [])
        expect(idsOf(left).filter((id) => !idsOf(shown).includes(id))).toEqual([])
      })
    )
  })
})
