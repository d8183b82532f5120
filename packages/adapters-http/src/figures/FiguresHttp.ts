import { listAppCalls, readAppFigures, readEndpointFigures } from "@place-access/domain/figures"
import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { DAYS, toCall, toDay, toEndpointFigures } from "./FiguresApi.js"

export const layer = Group.group(Api, "figures", (handlers) =>
  handlers
    .handle("app", ({ path }) =>
      Effect.gen(function* () {
        const edges = daysInUtc(yield* Timestamp.now)
        const { days, users } = yield* readAppFigures(yield* SignedIn, path.app_id, edges)
        return { users, days: days.map(toDay) }
      }).pipe(toWire)
    )
    .handle("calls", ({ path, urlParams: { cursor, limit, only } }) =>
      Effect.gen(function* () {
        const filter = { refusedOnly: only === "errors" }
        const { calls, nextCursor } = yield* listAppCalls(yield* SignedIn, path.app_id, filter, { limit, cursor })
        return { calls: calls.map(toCall), nextCursor }
      }).pipe(toWire)
    )
    .handle("endpoint", ({ path }) =>
      Effect.gen(function* () {
        return toEndpointFigures(yield* readEndpointFigures(yield* SignedIn, path.app_id, path.endpoint_id))
      }).pipe(toWire)
    )
)

/** The beginnings of the last `DAYS` days in UTC, and the beginning of tomorrow. */
const daysInUtc = (now: Timestamp.Timestamp): ReadonlyArray<Timestamp.Timestamp> => {
  const today = Timestamp.make(now - (now % Timestamp.DAY))
  return Array.from({ length: DAYS + 1 }, (_, index) => Timestamp.plus(today, (index + 1 - DAYS) * Timestamp.DAY))
}
