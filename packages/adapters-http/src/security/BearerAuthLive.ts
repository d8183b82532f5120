import { type HttpApi, HttpRouter, HttpServerRequest } from "@effect/platform"
import { authenticateAccess, Caller, type ConnectionStore } from "@place-access/domain/connection"
import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import { PurposeGate, type PurposeStore, usePurpose } from "@place-access/domain/purposes"
import { Scope, type Vault } from "@place-access/domain/shared"
import { Context, Effect, Either, Layer } from "effect"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as RateLimit from "../edge/RateLimit.js"
import * as Routes from "../edge/Routes.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { BearerAuth } from "./BearerAuth.js"
import * as Credentials from "./Credentials.js"
import { guard } from "./guard.js"
import * as RequiredScope from "./RequiredScope.js"

type Needs = ConnectionStore | LimitStore | PurposeStore | Vault.Vault

/** `api`: where the requirements are read from. */
export const layer = (api: HttpApi.HttpApi.Any): Layer.Layer<BearerAuth, never, Needs | HttpOptions> =>
  Layer.effect(
    BearerAuth,
    Effect.gen(function* () {
      const context = yield* Effect.context<Needs>()
      const requirements = RequiredScope.requirements(api)
      const rate = Rate.perMinute((yield* HttpOptions).rateLimitPerMinute)
      return BearerAuth.of({
        accessToken: () =>
          guard(context, (own, cell) => {
            const token = Credentials.bearerToken(Context.get(own, HttpServerRequest.HttpServerRequest))
            if (token === undefined) return Effect.fail(Errors.invalidToken)
            return Effect.flatMap(callerOf(token), (caller) => {
              cell.caller = Caller.owner(caller)
              return Effect.flatMap(RateLimit.take(Subject.connection(caller.connection.id), rate), () => {
                const { route } = Context.get(own, HttpRouter.RouteContext)
                const requirement = requirements.get(Routes.label(route.method, route.path))
                if (requirement === undefined) return Effect.dieMessage(`${route.path} names no RequiredScope`)
                return admit(caller, requirement)
              })
            })
          })
      })
    })
  )

const callerOf = (token: string) => toWire(Effect.catchTag(authenticateAccess(token), "InvalidToken", refuse))

/** The user whose token it once was reads about the try in their access log. */
const refuse = ({ known }: { readonly known: CurrentRequest.Caller | null }) =>
  Effect.zipRight(known === null ? Effect.void : CurrentRequest.callerIs(known), Effect.fail(Errors.invalidToken))

/** The caller, when it may ask what needs `requirement`. */
const admit = (
  caller: Caller.Caller,
  requirement: RequiredScope.Requirement
): Effect.Effect<
  Caller.Caller,
  ReturnType<typeof scopeError> | Effect.Effect.Error<ReturnType<typeof checkPurpose>>,
  Effect.Effect.Context<ReturnType<typeof checkPurpose>>
> => {
  const checked = check(caller, requirement)
  if (Either.isLeft(checked)) return Effect.fail(scopeError(checked.left))
  return requirement !== "none" && requirement !== "any_standard" && Scope.isSensitive(requirement)
    ? Effect.as(checkPurpose(caller, requirement), caller)
    : Effect.succeed(caller)
}

const check = (caller: Caller.Caller, requirement: RequiredScope.Requirement) =>
  requirement === "none"
    ? Either.void
    : requirement === "any_standard"
      ? Caller.requireAnyStandard(caller, caller.at)
      : Caller.requireScope(caller, requirement, caller.at)

const scopeError = (error: Either.Either.Left<ReturnType<typeof Caller.requireScope>>) =>
  error._tag === "MissingScope" ? Errors.missingScope(error.scope) : Errors.scopeExpired(error.scope, error)

/**
 * Here and not in the handlers, so that no endpoint of the sensitive tier can go without (Spec §1.4), and before any other
 * parameter is looked at. The purpose is in the log of a refused call, too, when it is one of the app's.
 */
const checkPurpose = (caller: Caller.Caller, scope: Scope.SensitiveScope) =>
  Effect.gen(function* () {
    const { purpose } = yield* HttpServerRequest.ParsedSearchParams
    yield* usePurpose(caller.app, typeof purpose === "string" ? purpose : undefined, scope).pipe(
      Effect.tap(CurrentRequest.purposeIs),
      Effect.catchTag("PurposeRefused", ({ key, reason }) =>
        Effect.zipRight(
          key === null ? Effect.void : CurrentRequest.purposeIs(key),
          Effect.fail(Errors.invalidPurpose(PurposeGate.message[reason]))
        )
      ),
      toWire
    )
  })
