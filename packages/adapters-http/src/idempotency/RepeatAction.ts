import { HttpRouter } from "@effect/platform"
import { getApp } from "@place-access/domain/apps"
import { AppId } from "@place-access/domain/shared"
import type { Role } from "@place-access/domain/teams"
import { Context, Effect, Option } from "effect"
import { SignedIn } from "../security/SessionAuth.js"
import { toWire } from "../wire/toWire.js"

/**
 * Annotation of a POST about an app of a team: the action that the member's role must allow when a request comes again
 * with its `Idempotency-Key` (decision idempotency-7). The first time, the endpoint's program checks the role. A
 * repeated request gets the stored answer, which may contain a secret of the app, and the program does not run. Without
 * this check, a removed member would get the secret for another day.
 */
export class RepeatAction extends Context.Tag("@place-access/adapters-http/idempotency/RepeatAction")<
  RepeatAction,
  Role.Action
>() {}

/** Fails with 404 or 403 if the caller's role in the team of the path's `app_id` does not allow `action` now. */
export const check = (own: Context.Context<never>, action: Option.Option<Role.Action>) =>
  Effect.gen(function* () {
    if (Option.isNone(action)) return
    const { params } = Context.unsafeGet(own as Context.Context<HttpRouter.RouteContext>, HttpRouter.RouteContext)
    const account = Context.unsafeGet(own as Context.Context<SignedIn>, SignedIn)
    yield* getApp(account, AppId.make(params["app_id"] ?? ""), action.value)
  }).pipe(toWire)
