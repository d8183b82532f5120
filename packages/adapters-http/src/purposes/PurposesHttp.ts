import {
  archivePurpose,
  createPurpose,
  listPurposes,
  submitPurpose,
  updatePurpose
} from "@place-access/domain/purposes"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { toBody } from "./PurposesApi.js"

export const layer = Group.group(Api, "purposes", (handlers) =>
  handlers
    .handle("list", ({ path }) =>
      Effect.gen(function* () {
        const purposes = yield* listPurposes(yield* SignedIn, path.app_id)
        return { purposes: purposes.map(toBody), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "create",
      ({ path, payload: { description, expected_daily_volume, key, scopes } }) =>
        Effect.gen(function* () {
          const terms = { description, scopes, expectedDailyVolume: expected_daily_volume }
          return toBody(yield* createPurpose(yield* SignedIn, path.app_id, { key, terms }))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "update",
      ({ path, payload: { description, expected_daily_volume: expectedDailyVolume, scopes } }) =>
        Effect.gen(function* () {
          const change = { description, scopes, expectedDailyVolume }
          const rule = (yield* HttpOptions).addressRule
          return toBody(yield* updatePurpose(yield* SignedIn, path.app_id, path.purpose_id, change, rule, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "archive",
      ({ path }) =>
        Effect.gen(function* () {
          yield* archivePurpose(yield* SignedIn, path.app_id, path.purpose_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "submit",
      ({ path }) =>
        Effect.gen(function* () {
          const rule = (yield* HttpOptions).addressRule
          return toBody(yield* submitPurpose(yield* SignedIn, path.app_id, path.purpose_id, rule, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
