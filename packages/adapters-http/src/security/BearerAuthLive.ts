import { type HttpApi, HttpRouter, HttpServerRequest } from "@effect/platform"
import { authenticateAccess, Caller, type TokenStore } from "@place-access/domain/tokens"
import { type LimitStore, Rate, Subject } from "@place-access/domain/limits"
import { PurposeGate, type PurposeStore, usePurpose } from "@place-access/domain/purposes"
import { Scope, Token, type Vault, gen } from "@place-access/domain/shared"
import { countDeadCall } from "@place-access/domain/access-log"
import { Effect, Either, Layer, Option } from "effect"
import * as Body from "../edge/Body.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as RateLimit from "../limits/RateLimit.js"
import * as Routes from "../engine/Routes.js"
import * as Services from "../engine/Services.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { BearerAuth } from "./BearerAuth.js"
import * as Credentials from "./Credentials.js"
import * as RequiredScope from "./RequiredScope.js"

type GuardServices = TokenStore | LimitStore | PurposeStore | Vault.Vault

/** `api`: the contract, whose annotations say what each endpoint requires. */
export const layer = (api: HttpApi.HttpApi.Any): Layer.Layer<BearerAuth, never, GuardServices | HttpOptions> =>
  Layer.effect(
    BearerAuth,
    Effect.gen(function* () {
      const context = yield* Effect.context<GuardServices>()
      const requirements = RequiredScope.requirements(api)
      const rate = Rate.perMinute((yield* HttpOptions).rateLimitPerMinute)
      return BearerAuth.of({
        accessToken: () =>
          gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest
            const token = Credentials.bearerToken(request)
            if (token === undefined) return yield* Effect.fail(Errors.invalidToken)
            // Waits for the whole body. Otherwise an app could hold back the end of a request until the user has
            // disconnected the app, and the answer would say where the user is at that later time. A GET has no body,
            // so most requests need not wait.
            if (request.method !== "GET" && isAccessToken(token)) yield* Body.arrived
            const caller = yield* callerOf(token, rate)
            yield* CurrentRequest.callerIs(Caller.owner(caller))
            yield* RateLimit.take(Subject.connection(caller.connection.id), rate)
            const { route } = yield* HttpRouter.RouteContext
            const requirement = requirements.get(Routes.label(route.method, route.path))
            if (requirement === undefined) return yield* Effect.dieMessage(`${route.path} names no RequiredScope`)
            return yield* admit(caller, requirement)
          }).pipe(Services.over(context))
      })
    })
  )

/** Whether the text has the form of an access token. All other texts are refused without waiting for the body. */
const isAccessToken = (text: string): boolean => Option.exists(Token.parse(text), ({ kind }) => kind === "at")

const callerOf = (token: string, rate: Rate.Rate) =>
  toWire(
    Effect.catchTags(authenticateAccess(token), {
      InvalidToken: ({ known }) => refuse(known, rate),
      Suspended: ({ known }) => pause(known, rate)
    })
  )

/**
 * Refuses the token of a suspended connection (`WithApp.isSuspended`) with 503 and not with 401. When the connection is
 * suspended because the account of the user or of the app's holder is, its token works again after the account is
 * resumed. When the connection is known, the call is entered into the user's access log, and counts like every other
 * call with a valid token (decision limits-3).
 */
const pause = (known: CurrentRequest.RequestCaller | null, rate: Rate.Rate) =>
  gen(function* () {
    if (known !== null) {
      yield* CurrentRequest.callerIs(known)
      yield* RateLimit.take(Subject.connection(known.connectionId), rate)
    }
    return yield* Effect.fail(Errors.connectionOnHold)
  })

/**
 * Refuses a token that does not work. When the token worked earlier, the call is counted, and entered into the access
 * log of its connection's user unless the connection is over its rate limit. The answer is the same as to a token that
 * was never issued, without rate limit headers (decision limits-3).
 */
const refuse = (known: CurrentRequest.RequestCaller | null, rate: Rate.Rate) =>
  gen(function* () {
    if (known !== null) {
      const { route } = yield* HttpRouter.RouteContext
      const repeat = yield* countDeadCall(known.connectionId, Routes.label(route.method, route.path), rate)
      if (Option.isSome(repeat)) yield* CurrentRequest.deadCallerIs(known, repeat.value)
    }
    return yield* Effect.fail(Errors.invalidToken)
  })

/** Returns the caller, or fails if the caller may not call an endpoint that needs `requirement`. */
const admit = (
  caller: Caller.Caller,
  requirement: RequiredScope.ScopeRequirement
): Effect.Effect<
  Caller.Caller,
  ReturnType<typeof scopeError> | Effect.Effect.Error<ReturnType<typeof checkPurpose>>,
  Effect.Effect.Context<ReturnType<typeof checkPurpose>>
> => {
  const checked = check(caller, requirement)
  if (Either.isLeft(checked)) {
    return Effect.fail(requirement === "any_standard" ? Errors.missingStandardScope : scopeError(checked.left))
  }
  return requirement !== "none" && requirement !== "any_standard" && Scope.isSensitive(requirement)
    ? Effect.as(checkPurpose(caller, requirement), caller)
    : Effect.succeed(caller)
}

const check = (caller: Caller.Caller, requirement: RequiredScope.ScopeRequirement) =>
  requirement === "none"
    ? Either.void
    : requirement === "any_standard"
      ? Caller.requireAnyStandard(caller, caller.at)
      : Caller.requireScope(caller, requirement, caller.at)

const scopeError = (error: Either.Either.Left<ReturnType<typeof Caller.requireScope>>) =>
  error._tag === "MissingScope" ? Errors.missingScope(error.scope) : Errors.scopeExpired(error.scope, error)

/**
 * Checks the purpose. The guard does this and not each handler, so no endpoint of the sensitive tier can forget the
 * check (Spec §1.4), and the purpose is checked before any other parameter. The log entry of a refused call names the
 * purpose too, when the app has this purpose.
 */
const checkPurpose = (caller: Caller.Caller, scope: Scope.SensitiveScope) =>
  Effect.gen(function* () {
    const { purpose } = yield* HttpServerRequest.ParsedSearchParams
    if (Array.isArray(purpose)) return yield* Effect.fail(Errors.invalidPurpose("purpose must not be repeated"))
    yield* usePurpose(caller.app, purpose, scope).pipe(
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
