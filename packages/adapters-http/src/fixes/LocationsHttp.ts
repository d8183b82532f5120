import { daysForApp, Disclosure, fixesForApp, latestForApp, nearestForApp } from "@place-access/domain/answers"
import { type Fix, Nearest } from "@place-access/domain/fixes"
import { gen } from "@place-access/domain/shared"
import { Option } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { BearerCaller } from "../security/BearerAuth.js"
import { orPaused } from "../answers/orPaused.js"
import { toWire } from "../wire/toWire.js"
import type { FixBody } from "./LocationsApi.js"

export const layer = Group.group(Api, "locations", (handlers) =>
  handlers
    .handle("latest", () =>
      gen(function* () {
        const caller = yield* BearerCaller
        const fix = yield* latestForApp(caller.connection)
        return orPaused(caller, Option.isNone(fix), {
          answer: { fix: Option.getOrNull(Option.map(fix, encode)) },
          disclosed: Disclosure.ofLatest(Option.isSome(fix))
        })
      }).pipe(toWire)
    )
    .handle("lookup", ({ urlParams: { at, tolerance_s: toleranceS } }) =>
      gen(function* () {
        const caller = yield* BearerCaller
        const nearest = yield* nearestForApp(caller.connection, at, toleranceS * 1_000)
        const answer =
          nearest === undefined
            ? { matched: false, fix: null, asOf: null, deltaSeconds: null }
            : {
                matched: true,
                fix: encode(nearest.fix),
                asOf: nearest.fix.capturedAt,
                deltaSeconds: Nearest.deltaSeconds(nearest)
              }
        return orPaused(caller, !answer.matched, { answer, disclosed: Disclosure.ofNearest(at, nearest) })
      }).pipe(toWire)
    )
    .handle("timerange", ({ urlParams: { cursor, from, limit, to: until } }) =>
      gen(function* () {
        const caller = yield* BearerCaller
        const { fixes, nextCursor } = yield* fixesForApp(caller.connection, { from, until }, limit, cursor)
        return orPaused(caller, fixes.length === 0, {
          answer: { fixes: fixes.map(encode), nextCursor },
          disclosed: Disclosure.ofRange(fixes.length, { from, until })
        })
      }).pipe(toWire)
    )
    .handle("days", ({ urlParams: { from, to: until, tz } }) =>
      gen(function* () {
        const caller = yield* BearerCaller
        const days = yield* daysForApp(caller.connection, { from, until }, tz)
        const answer = {
          days: days.map(({ date, firstAt, fixes, lastAt }) => ({ date, fixes, first_at: firstAt, last_at: lastAt }))
        }
        return orPaused(caller, days.length === 0, {
          answer,
          disclosed: Disclosure.ofDays(days.length, { from, until })
        })
      }).pipe(toWire)
    )
)

const encode = ({ accuracyM, capturedAt, lat, lon }: Fix.Fix): typeof FixBody.Type => ({
  lat,
  lon,
  accuracy_m: accuracyM,
  captured_at: capturedAt
})
