import { ingestFixes, type VisitReport } from "@place-access/domain/fixes"
import { eraseHistory } from "@place-access/domain/retention-choice"
import { MemoryDatabase } from "@place-access/domain/testing"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HOUR, INSIDE, MINUTE, NOON, time } from "../support/rules.js"
import { person, run } from "../support/uploads.js"

/** A time of the morning, such as `clock(9, 30)` for half past nine. */
const clock = (hours: number, minutes = 0) => time(NOON + (hours - 12) * HOUR + minutes * MINUTE)

const report = (arrival: number, departure: number): VisitReport.VisitReport => ({
  ...INSIDE,
  arrival: time(arrival),
  departure: time(departure),
  accuracyM: 30
})

it.effect(
  "a visit report that comes after the deletion of its time is stored up to the stretch; one from within is only counted [retention-choice-4]",
  () =>
    run(
      Effect.gen(function* () {
        const { phone } = yield* person
        yield* eraseHistory(phone.userId, { from: clock(10), until: clock(11) })
        const reaching = report(clock(9, 30), clock(10, 30))
        const within = report(clock(10, 10), clock(10, 20))
        const answer = yield* ingestFixes(phone, [], [reaching, within])
        expect(answer).toEqual({ accepted: 0, duplicates: 0, quarantined: 1 })
        const { devices, visitReports } = yield* MemoryDatabase
        expect([...visitReports.values()].map(({ arrival, departure }) => [arrival, departure])).toEqual([
          [clock(9, 30), clock(10)]
        ])
        expect(devices.get(phone.id)?.putAside).toEqual([{ reason: "not_kept", count: 1, lastAt: time(NOON) }])
      })
    )
)
