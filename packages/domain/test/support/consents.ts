import { ConnectionStore } from "@place-access/domain/connection"
import { type ConsentChoices, type ConsentRequest, decideConsent, startConsent } from "@place-access/domain/consent"
import type { AppId, Scope, UserId } from "@place-access/domain/shared"
import { ConsentFlow } from "@place-access/domain/testing"
import { Effect, Either, Option } from "effect"
import { pair, purpose } from "./connections.js"

export const CURRENT = "location.place.current"
export const LOOKUP = "location.lookup"

/** Stores a user, and an app that may request look-ups. */
export const sensitivePair = Effect.tap(pair(), ({ app }) => purpose(app, "find_coffee", [LOOKUP]))

export const request = (
  app: Parameters<typeof ConsentFlow.parameters>[0],
  scopes: ReadonlyArray<Scope.Scope>,
  more = {}
) =>
  Effect.flatMap(ConsentFlow.parameters(app, scopes, more), (parameters) =>
    startConsent(parameters, ConsentFlow.ISSUER)
  )

export const decide = (
  consentRequest: ConsentRequest.ConsentRequest,
  user: Parameters<typeof decideConsent>[1],
  choices: Partial<ConsentChoices>
) =>
  Effect.either(decideConsent(consentRequest.id, user, ConsentFlow.choices(choices), ConsentFlow.ISSUER, "confirmed"))

type Refused = { readonly _tag: string; readonly reason?: unknown }

export const problems = (answer: Effect.Effect.Success<ReturnType<typeof decide>>) => {
  const error = Either.getOrThrow(Either.flip(answer))
  return error._tag === "Invalid" ? error.problems.map(({ field }) => field) : error._tag
}

/** Why the service did not show the consent page, or did not accept the user's decision. */
export const reason = (answer: Either.Either<unknown, Refused>) => Either.getOrThrow(Either.flip(answer)).reason

export const live = (user: { readonly id: UserId }, app: { readonly id: AppId }) =>
  Effect.gen(function* () {
    const found = yield* (yield* ConnectionStore).findLive(user.id, app.id)
    return Option.getOrThrow(found)
  })
