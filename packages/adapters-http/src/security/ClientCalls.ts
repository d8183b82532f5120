import { type App, findClient, proveClient, type Registered } from "@place-access/domain/apps"
import { Rate, Subject } from "@place-access/domain/limits"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { clientAddress } from "../edge/ClientAddress.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Errors from "../wire/Errors.js"

// The calls in which an app proves itself with its client secret: find the app, count the call, prove the secret.

/**
 * Finds the app that the client id names, and counts the call against the limit for this app and this network address
 * together. The call is counted before the secret is checked, so that wrong guesses count too. The address is part of
 * the limit, so that a stranger at another address cannot use up the app's limit (decision limits-3). `onFound` runs
 * for an app that exists, before the call is counted, and therefore even for a call over the limit.
 */
export const counted = (
  clientId: string | undefined,
  onFound: (app: App.App) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.gen(function* () {
    const found = yield* findClient(clientId)
    if (Option.isSome(found)) yield* onFound(found.value.app)
    const id = Option.map(found, ({ app }) => app.id)
    yield* RateLimit.take(Subject.client(id, yield* clientAddress), Rate.OAUTH)
    return found
  })

/** The app, when the secret is one of its client secrets. `triedBasic`: whether the call used HTTP Basic. */
export const proved = (
  found: Option.Option<Registered>,
  clientSecret: string,
  triedBasic: boolean
): Effect.Effect<App.App, typeof Errors.InvalidClient.Type, Vault.Vault> =>
  Effect.catchTag(proveClient(found, clientSecret), "InvalidClient", () =>
    Effect.fail(Errors.invalidClient(triedBasic))
  )
