import { Disclosure } from "@place-access/domain/answers"
import { type Fix, latestFix, listDays, listFixes, Nearest, nearestFix } from "@place-access/domain/fixes"
import { Effect, Option } from "effect"
import { Api } from "../Api.js"
import * as Group from "../edge/Group.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import { Caller } from "../security/BearerAuth.js"
import { toWire } from "../wire/toWire.js"
import type { FixBody } from "./LocationsApi.js"

export const layer = Group.group(Api, "locations", (handlers) =>
  handlers
    .handle("latest", () =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const fix = yield* latestFix(connection.userId)
        yield* CurrentRequest.disclose(Disclosure.ofLatest(Option.isSome(fix)))
        return { fix: Option.getOrNull(Option.map(fix, encode)) }
      }).pipe(toWire)
    )
    .handle("lookup", ({ urlParams: { at, tolerance_s: toleranceS } }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const nearest = yield* nearestFix(connection.userId, at, toleranceS * 1_000)
        yield* CurrentRequest.disclose(Disclosure.ofNearest(at, nearest))
        return nearest === undefined
          ? { matched: false, fix: null, asOf: null, deltaSeconds: null }
          : {
              matched: true,
              fix: encode(nearest.fix),
              asOf: nearest.fix.capturedAt,
              deltaSeconds: Nearest.deltaSeconds(nearest)
            }
      }).pipe(toWire)
    )
    .handle("timerange", ({ urlParams: { cursor, from, limit, to: until } }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const { fixes, nextCursor } = yield* listFixes(connection, { from, until }, limit, cursor)
        yield* CurrentRequest.disclose(Disclosure.ofRange(fixes.length, { from, until }))
        return { fixes: fixes.map(encode), nextCursor }
      }).pipe(toWire)
    )
    .handle("days", ({ urlParams: { from, to: until, tz } }) =>
      Effect.gen(function* () {
        const { connection } = yield* Caller
        const days = yield* listDays(connection.userId, { from, until }, tz)
        yield* CurrentRequest.disclose(Disclosure.ofDays(days.length, { from, until }))
        return {
          days: days.map(({ date, firstAt, fixes, lastAt }) => ({ date, fixes, first_at: firstAt, last_at: lastAt }))
        }
      }).pipe(toWire)
    )
)

const encode = ({ accuracyM, capturedAt, lat, lon }: Fix.Fix): typeof FixBody.Type => ({
  lat,
  lon,
  accuracy_m: accuracyM,
  captured_at: capturedAt
})
