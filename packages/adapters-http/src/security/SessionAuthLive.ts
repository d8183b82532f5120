import { type HttpApi, HttpRouter, HttpServerRequest } from "@effect/platform"
import { type AccountStore, authenticateSession } from "@place-access/domain/accounts"
import type { Vault } from "@place-access/domain/shared"
import { Effect, Layer, Option } from "effect"
import * as Body from "../edge/Body.js"
import * as CurrentRequest from "../edge/CurrentRequest.js"
import * as Routes from "../engine/Routes.js"
import * as Services from "../engine/Services.js"
import { HttpOptions } from "../HttpOptions.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"
import { byRoute } from "../engine/byRoute.js"
import * as Credentials from "./Credentials.js"
import * as RequiredRole from "./RequiredRole.js"
import * as StaffFactor from "./StaffFactor.js"
import { SessionAuth } from "./SessionAuth.js"

/** `api`: the contract, whose annotations say which role each endpoint requires. */
export const layer = (
  api: HttpApi.HttpApi.Any
): Layer.Layer<SessionAuth, never, HttpOptions | AccountStore | Vault.Vault> =>
  Layer.effect(
    SessionAuth,
    Effect.gen(function* () {
      const options = yield* HttpOptions
      const context = yield* Effect.context<AccountStore | HttpOptions | Vault.Vault>()
      const roles = byRoute(api, RequiredRole.RequiredRole)
      return SessionAuth.of({
        session: () =>
          Effect.gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest
            const cookie = yield* Credentials.presentSession
            yield* Credentials.checkOrigin(request, options)
            yield* Body.arrived
            const found = yield* toWire(authenticateSession(cookie))
            if (Option.isNone(found)) return yield* Effect.fail(Errors.notSignedIn())
            const account = found.value
            yield* CurrentRequest.sessionIs(cookie)
            const { route } = yield* HttpRouter.RouteContext
            const role = roles.get(Routes.label(route.method, route.path))
            if (role !== undefined) {
              yield* toWire(RequiredRole.check[role](account))
              if (yield* toWire(StaffFactor.isLacking(account))) return yield* Effect.fail(Errors.secondFactorMissing)
            }
            return account
          }).pipe(Services.over(context))
      })
    })
  )
