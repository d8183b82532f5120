import {
  AppProposal,
  createApp,
  endPreviousClientSecrets,
  getApp,
  listApps,
  listClientSecrets,
  RedirectUri,
  registerRedirectUris,
  replaceClientSecret,
  submitApp,
  updateApp,
  withdrawChange
} from "@place-access/domain/apps"
import { Effect, Schema } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { toBody } from "./AppsApi.js"

const same = Schema.equivalence(RedirectUri.List)

/**
 * The redirect URIs, under either of their two names. Fails when a request has neither name, and when it has both names
 * with different values, because the service cannot know which value counts (decision O1).
 */
const chosen = (given: { readonly redirectUris?: RedirectUri.List; readonly redirect_uris?: RedirectUri.List }) => {
  const { redirect_uris: standard, redirectUris: ours } = given
  if (ours !== undefined && standard !== undefined && !same(ours, standard)) {
    return Effect.fail(Errors.invalidRequest("redirectUris and redirect_uris differ"))
  }
  const uris = ours ?? standard
  return uris === undefined ? Effect.fail(Errors.validationFailed(["redirectUris is missing"])) : Effect.succeed(uris)
}

export const layer = Group.group(Api, "apps", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { cursor, limit } }) =>
      Effect.gen(function* () {
        const { apps, nextCursor } = yield* listApps(yield* SignedIn, { limit, cursor })
        return { apps: apps.map(toBody), nextCursor }
      }).pipe(toWire)
    )
    .handle(
      "create",
      ({ payload: { description, homepage_url, name, scopes } }) =>
        Effect.gen(function* () {
          const input = { name, description, homepageUrl: homepage_url ?? null, scopes }
          return toBody(yield* createApp(yield* SignedIn, input))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("get", ({ path }) =>
      Effect.gen(function* () {
        return toBody(yield* getApp(yield* SignedIn, path.app_id, "read"))
      }).pipe(toWire)
    )
    .handle(
      "update",
      ({ path, payload: { homepage_url: homepageUrl, logo_png: logo, ...change } }) =>
        Effect.gen(function* () {
          const rule = (yield* HttpOptions).addressRule
          return toBody(
            yield* updateApp(yield* SignedIn, path.app_id, { ...change, homepageUrl, logo }, rule, "unchecked")
          )
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "submit",
      ({ path }) =>
        Effect.gen(function* () {
          return toBody(yield* submitApp(yield* SignedIn, path.app_id, (yield* HttpOptions).addressRule, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "withdraw",
      ({ path }) =>
        Effect.gen(function* () {
          return toBody(yield* withdrawChange(yield* SignedIn, path.app_id, "unchecked"))
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle("secrets", ({ path }) =>
      Effect.gen(function* () {
        const secrets = yield* listClientSecrets(yield* SignedIn, path.app_id)
        return {
          secrets: secrets.map(({ createdAt, expiresAt }) => ({ created_at: createdAt, expires_at: expiresAt })),
          nextCursor: null
        }
      }).pipe(toWire)
    )
    .handle(
      "replaceSecret",
      ({ path }) =>
        Effect.gen(function* () {
          const { app, clientSecret } = yield* replaceClientSecret(yield* SignedIn, path.app_id)
          return { clientId: app.id, clientSecret }
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "endPreviousSecrets",
      ({ path }) =>
        Effect.gen(function* () {
          yield* endPreviousClientSecrets(yield* SignedIn, path.app_id)
        }).pipe(toWire),
      { uninterruptible: true }
    )
    .handle(
      "register",
      ({ path, payload }) =>
        Effect.gen(function* () {
          const { app, clientSecret } = yield* registerRedirectUris(
            yield* SignedIn,
            path.app_id,
            yield* chosen(payload),
            (yield* HttpOptions).addressRule,
            "unchecked"
          )
          return {
            clientId: app.id,
            clientSecret,
            redirectUris: app.redirectUris,
            pendingRedirectUris: AppProposal.pendingRedirectUris(app)
          }
        }).pipe(toWire),
      { uninterruptible: true }
    )
)
