import {
  createEndpoint,
  endPreviousSecrets,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  rotateSecret,
  updateEndpoint
} from "@place-access/domain/endpoints"
import { sendTest } from "@place-access/domain/deliveries"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import * as RateOfAccount from "../security/RateOfAccount.js"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"
import { toBody, toChanges } from "./EndpointsApi.js"

export const layer = Group.group(Api, "endpoints", (handlers) =>
  handlers
    .handle("list", ({ path }) =>
      Effect.gen(function* () {
        const endpoints = yield* listEndpoints(yield* SignedIn, path.app_id)
        return { webhooks: endpoints.map(toBody), nextCursor: null }
      }).pipe(toWire)
    )
    .handle(
      "create",
      ({ path, payload: { description, events, headers, url } }) =>
        Effect.gen(function* () {
          const input = {
            url,
            events: events ?? [],
            description: description ?? null,
            headers: toChanges(headers ?? [])
          }
          const { endpoint, secret } = yield* createEndpoint(yield* SignedIn, path.app_id, input)
          return { ...toBody(endpoint), secret }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "update",
      ({ path, payload }) =>
        Effect.gen(function* () {
          const account = yield* SignedIn
          const { headers, ...edit } = payload
          const change = { ...edit, headers: headers && toChanges(headers) }
          if (edit.url !== undefined) yield* RateOfAccount.take(RateOfAccount.WEBHOOK_ADDRESS, account.id)
          return toBody(yield* updateEndpoint(account, path.app_id, path.endpoint_id, change, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "remove",
      ({ path }) =>
        Effect.gen(function* () {
          yield* removeEndpoint(yield* SignedIn, path.app_id, path.endpoint_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "rotateSecret",
      ({ path }) =>
        Effect.gen(function* () {
          const { endpoint, secret } = yield* rotateSecret(yield* SignedIn, path.app_id, path.endpoint_id)
          return { ...toBody(endpoint), secret }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "replaceSecret",
      ({ path }) =>
        Effect.gen(function* () {
          const { endpoint, secret } = yield* replaceSecret(yield* SignedIn, path.app_id, path.endpoint_id)
          return { ...toBody(endpoint), secret }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "endPreviousSecrets",
      ({ path }) =>
        Effect.gen(function* () {
          yield* endPreviousSecrets(yield* SignedIn, path.app_id, path.endpoint_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "test",
      ({ path, urlParams: { type } }) =>
        Effect.gen(function* () {
          return yield* sendTest(yield* SignedIn, path.app_id, path.endpoint_id, type)
        }).pipe(toWire),
      // Uninterruptible: when the caller hangs up after the ping was sent, the ping must still be entered in the
      // delivery log.
      { uninterruptible: true }
    )
)
