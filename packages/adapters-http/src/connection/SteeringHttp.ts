import { type ConsentHistory, listConsentHistory } from "@place-access/domain/connection"
import { Invalid, Scope } from "@place-access/domain/shared"
import {
  changeConnection,
  endExactLocation,
  pauseAll,
  pauseConnection,
  resumeAll,
  resumeConnection
} from "@place-access/domain/steering"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { isFreshSignIn } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { encode } from "./ConnectionsHttp.js"
import { encodePause } from "./ConsentsHttp.js"
import type { HistoryEntry } from "./SteeringApi.js"

const WHOLE = { uninterruptible: true } as const

export const layer = Group.group(Api, "steering", (handlers) =>
  handlers
    .handle(
      "change",
      ({ path, payload }) =>
        Effect.gen(function* () {
          const { id: userId } = yield* SignedIn
          const scopes = payload.scopes?.filter(Scope.isScope)
          if (scopes?.length !== payload.scopes?.length) {
            return yield* Invalid.of(
              "scopes",
              "must be among those that you agreed to before; the app must ask for others"
            )
          }
          const change = {
            scopes,
            standardDays: payload.standard_days,
            sensitiveDays: payload.sensitive_days,
            shown: "unchecked" as const
          }
          const session = { isFresh: yield* isFreshSignIn }
          return encode(yield* changeConnection(userId, path.id, change, session))
        }).pipe(
          Effect.catchTag("ConfirmationRequired", () => Effect.fail(Errors.confirmationRequired)),
          toWire
        ),
      WHOLE
    )
    .handle(
      "endExactLocation",
      ({ path }) =>
        Effect.gen(function* () {
          return encode(yield* endExactLocation((yield* SignedIn).id, path.id))
        }).pipe(toWire),
      WHOLE
    )
    .handle(
      "pause",
      ({ path, payload }) =>
        Effect.gen(function* () {
          return encode(yield* pauseConnection((yield* SignedIn).id, path.id, payload.for))
        }).pipe(toWire),
      WHOLE
    )
    .handle(
      "resume",
      ({ path }) =>
        Effect.gen(function* () {
          return encode(yield* resumeConnection((yield* SignedIn).id, path.id))
        }).pipe(toWire),
      WHOLE
    )
    .handle(
      "pauseAll",
      ({ payload }) =>
        Effect.gen(function* () {
          return { connections: yield* pauseAll((yield* SignedIn).id, payload.for) }
        }).pipe(toWire),
      WHOLE
    )
    .handle(
      "resumeAll",
      () =>
        Effect.gen(function* () {
          return { connections: yield* resumeAll((yield* SignedIn).id) }
        }).pipe(toWire),
      WHOLE
    )
    .handle("history", ({ path }) =>
      Effect.gen(function* () {
        return { history: (yield* listConsentHistory((yield* SignedIn).id, path.id)).map(encodeEntry) }
      }).pipe(toWire)
    )
)

/** Encodes an entry of a connection's history for the API. */
export const encodeEntry = (entry: ConsentHistory.HistoryEntry): typeof HistoryEntry.Type => ({
  at: entry.at,
  change: entry.change,
  by: entry.by,
  end_reason: entry.endReason,
  scopes: entry.scopes,
  places: entry.places.map(({ id, label }) => ({ id, label })),
  earlier_visits: entry.earlierVisits?.map(({ id }) => id) ?? null,
  grant_expires_at: entry.standardExpiresAt,
  sensitive_expires_at: entry.sensitiveExpiresAt,
  pause: encodePause(entry.pause),
  added: encodeDifference(entry.added),
  removed: encodeDifference(entry.removed)
})

const encodeDifference = ({ earlierVisits, places, scopes }: ConsentHistory.HistoryEntry["added"]) => ({
  scopes,
  places: places.map(({ id }) => id),
  earlier_visits: earlierVisits.map(({ id }) => id)
})
