import {
  createEndpoint,
  endPreviousSecrets,
  listEndpoints,
  removeEndpoint,
  replaceSecret,
  rotateSecret,
  updateEndpoint
} from "@place-access/domain/endpoints"
import type { Account } from "@place-access/domain/accounts"
import { sendTest } from "@place-access/domain/deliveries"
import type { AppId, EndpointId } from "@place-access/domain/shared"
import { Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { isFreshSignIn, requireFreshSignIn } from "../security/FreshSignIn.js"
import * as RateOfAccount from "../security/RateOfAccount.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { toBody, toChanges } from "./EndpointsApi.js"

/**
 * The address that a change sets. Without a fresh proof of identity, an address other than the present one is refused,
 * and the present address counts as not sent: so a stale session never sets an address, whatever is stored meanwhile.
 */
const freshUrl = (account: Account.Account, { app_id: appId, endpoint_id: id }: EndpointIds, url: string | undefined) =>
  Effect.gen(function* () {
    if (url === undefined || (yield* isFreshSignIn)) return url
    const endpoint = (yield* listEndpoints(account, appId)).find((one) => one.id === id)
    return endpoint === undefined || endpoint.url === url ? undefined : yield* Effect.fail(Errors.confirmationRequired)
  })

interface EndpointIds {
  readonly app_id: AppId
  readonly endpoint_id: EndpointId
}

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
          yield* requireFreshSignIn
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
          const url = yield* freshUrl(account, path, edit.url)
          const change = { ...edit, url, headers: headers && toChanges(headers) }
          if (url !== undefined) yield* RateOfAccount.take(RateOfAccount.WEBHOOK_ADDRESS, account.id)
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
          yield* requireFreshSignIn
          const { endpoint, secret } = yield* rotateSecret(yield* SignedIn, path.app_id, path.endpoint_id)
          return { ...toBody(endpoint), secret }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "replaceSecret",
      ({ path }) =>
        Effect.gen(function* () {
          yield* requireFreshSignIn
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
