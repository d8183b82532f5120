import type { ReadableEntry } from "@place-access/domain/access-log"
import {
  AccessLogEntryId,
  AppId,
  ConnectionId,
  type Language,
  PurposeId,
  Timestamp,
  UserId
} from "@place-access/domain/shared"
import * as Folded from "@place-access/adapters-http/pages/log/Folded"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"

const entry = (minute: number, more: Partial<ReadableEntry> = {}): ReadableEntry => ({
  userId: UserId.make("usr_1"),
  id: AccessLogEntryId.make(`log_${minute}`),
  at: Timestamp.make(minute * Timestamp.MINUTE),
  appId: AppId.make("app_1"),
  appName: "Rain Radar",
  connectionId: ConnectionId.make("con_1"),
  endpoint: "GET /v1/locations/latest",
  purpose: null,
  status: 200,
  error: null,
  disclosed: "your last known location",
  times: 1,
  ...more
})

describe("repeats of the access log [access-log-6]", () => {
  it("are one line with their number, the first and the last, also between other apps' requests", () => {
    const other = { appId: AppId.make("app_2") }
    const folds = Folded.fold([entry(9), entry(8, other), entry(7), entry(6, { times: 4 }), entry(5, other)])
    expect(folds.map(({ newest, oldest, times }) => [newest.id, oldest.id, times])).toEqual([
      ["log_9", "log_6", 6],
      ["log_8", "log_5", 2]
    ])
    const inLanguage = (language: Language.Language) =>
      folds.map((one) => Folded.words(one).in({ language, zone: null, now: Timestamp.make(0) }))
    expect(inLanguage("en")).toEqual(["6 × your last known location", "2 × your last known location"])
    expect(inLanguage("de")).toEqual(["6 × Ihr letzter bekannter Standort", "2 × Ihr letzter bekannter Standort"])
  })

  it("are the same but for moments and the count; another result, place, wording or an hour between makes another line", () => {
    const disclosure = (disclosed: string) => ({ disclosed })
    const moment = (text: string) => disclosure(`You were at Home on ${text}`)
    expect(
      Folded.fold([entry(2, moment("1 March 2026 at 12:00 UTC")), entry(1, moment("2 May 2026 at 09:30 UTC"))])
    ).toHaveLength(1)
    expect(
      Folded.fold([entry(2, disclosure("12 visits to Home")), entry(1, disclosure("3 visits to Home"))])
    ).toHaveLength(1)
    expect(
      Folded.fold([entry(2, disclosure("1 location from …")), entry(1, disclosure("9 locations from …"))])
    ).toHaveLength(1)
    expect(Folded.fold([entry(2, disclosure("visits to Home")), entry(1, disclosure("visits to Gym"))])).toHaveLength(2)
    expect(Folded.fold([entry(2), entry(1, { status: 403, error: "scope_expired" })])).toHaveLength(2)
    const purpose = (description: string) => ({ purpose: { id: PurposeId.make("pps_1"), description } })
    expect(Folded.fold([entry(2, purpose("Finds you")), entry(1, purpose("Finds you"))])).toHaveLength(1)
    expect(Folded.fold([entry(2, purpose("Sells you")), entry(1, purpose("Finds you"))])).toHaveLength(2)
    expect(Folded.fold([entry(62), entry(2)])).toHaveLength(1)
    expect(Folded.fold([entry(63), entry(2)])).toHaveLength(2)
  })

  it("within one second have one time; those of 0.999 s and 1.000 s have two", () => {
    const at = (millis: number) => ({ at: Timestamp.make(Timestamp.MINUTE + millis) })
    const isOneSecond = (newest: number, oldest: number) =>
      Folded.fold([entry(1, at(newest)), entry(1, at(oldest))]).map(Folded.isOneSecond)
    expect(isOneSecond(999, 0)).toEqual([true])
    expect(isOneSecond(1_000, 999)).toEqual([false])
  })

  it("a number in a label or a question is no count: each place and each circle has a line of its own", () => {
    const lines = (...disclosed: ReadonlyArray<string>) =>
      Folded.fold(disclosed.map((text, index) => entry(9 - index, { disclosed: text }))).length
    expect(lines("You were at Studio 1", "You were at Studio 2")).toBe(2)
    expect(lines("arrived at 3 visits", "arrived at 4 visits")).toBe(2)
    const inCircle = (label: string, radiusM: number) => `whether you were within ${radiusM} m of “${label}”: no`
    expect(lines(inCircle("area 1", 100), inCircle("area 2", 100), inCircle("area 2", 300))).toBe(3)
    expect(lines("2 visits to “Gate 1”", "3 visits to “Gate 1”", "3 visits to “Gate 2”")).toBe(2)
  })

  it("no entry is lost or counted twice, and folds are newest first", () => {
    const entries = fc
      .array(
        fc.record({ minute: fc.nat(400), app: fc.nat(2), refused: fc.boolean(), times: fc.integer({ min: 1, max: 9 }) })
      )
      .map((all) =>
        all
          .sort((a, b) => b.minute - a.minute)
          .map(({ app, minute, refused, times }) =>
            entry(minute, { appId: AppId.make(`app_${app}`), error: refused ? "missing_scope" : null, times })
          )
      )
    fc.assert(
      fc.property(entries, (all) => {
        const folds = Folded.fold(all)
        expect(folds.flatMap((one) => one.entries).length).toBe(all.length)
        expect(new Set(folds.flatMap((one) => one.entries)).size).toBe(all.length)
        expect(folds.reduce((sum, { times }) => sum + times, 0)).toBe(all.reduce((sum, { times }) => sum + times, 0))
        const order = folds.map(({ newest }) => newest.at)
        expect(order).toEqual([...order].sort((a, b) => b - a))
      })
    )
  })
})
