import { type HttpApi, HttpRouter, HttpServerRequest } from "@effect/platform"
import { authenticateAccess, Caller, type ConnectionStore } from "@place-access/domain/connection"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Either, Layer } from "effect"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as Routes from "../edge/Routes.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { BearerAuth } from "./BearerAuth.js"
import * as Credentials from "./Credentials.js"
import * as RequiredScope from "./RequiredScope.js"

/** `api`: where the requirements are read from. */
export const layer = (api: HttpApi.HttpApi.Any): Layer.Layer<BearerAuth, never, ConnectionStore | Vault.Vault> =>
  Layer.effect(
    BearerAuth,
    Effect.gen(function* () {
      const context = yield* Effect.context<ConnectionStore | Vault.Vault>()
      const requirements = RequiredScope.requirements(api)
      return BearerAuth.of({
        accessToken: () =>
          Effect.gen(function* () {
            const token = Credentials.bearerToken(yield* HttpServerRequest.HttpServerRequest)
            if (token === undefined) return yield* Effect.fail(Errors.invalidToken)
            const caller = yield* toWire(Effect.catchTag(authenticateAccess(token), "InvalidToken", refuse))
            yield* CurrentRequest.callerIs(Caller.owner(caller))
            const { route } = yield* HttpRouter.RouteContext
            const requirement = requirements.get(Routes.label(route.method, route.path))
            if (requirement === undefined) return yield* Effect.dieMessage(`${route.path} names no RequiredScope`)
            yield* Effect.mapError(check(caller, requirement), scopeError)
            return caller
          }).pipe(Effect.provide(context))
      })
    })
  )

/** The user whose token it once was reads about the try in their access log. */
const refuse = ({ known }: { readonly known: CurrentRequest.Caller | null }) =>
  Effect.zipRight(known === null ? Effect.void : CurrentRequest.callerIs(known), Effect.fail(Errors.invalidToken))

const check = (caller: Caller.Caller, requirement: RequiredScope.Requirement) =>
  requirement === "none"
    ? Either.void
    : requirement === "any_standard"
      ? Caller.requireAnyStandard(caller, caller.at)
      : Caller.requireScope(caller, requirement, caller.at)

const scopeError = (error: Either.Either.Left<ReturnType<typeof Caller.requireScope>>) =>
  error._tag === "MissingScope" ? Errors.missingScope(error.scope) : Errors.scopeExpired(error.scope, error)
