import { isFreshSession } from "@place-access/domain/accounts"
import { Pause } from "@place-access/domain/connection"
import { ConnectionId, Invalid, Scope } from "@place-access/domain/shared"
import {
  changeConnection,
  endExactLocation,
  pauseAll,
  pauseConnection,
  restoreExactLocation,
  resumeAll,
  resumeConnection,
  type Steering
} from "@place-access/domain/steering"
import { Tier } from "@place-access/domain/tiers"
import { Effect, Option, Schema } from "effect"
import { type ServiceOptions, portalPath } from "../../HttpOptions.js"
import * as Errors from "../../wire/Errors.js"
import type { FieldProblem } from "../../wire/Issues.js"
import * as Form from "../kit/Form.js"
import { seeOther } from "../kit/Page.js"
import { param } from "../kit/Params.js"
import * as ReturnTo from "../kit/ReturnTo.js"
import * as Routes from "../kit/Routes.js"
import * as Visitor from "../kit/Visitor.js"
import { detail, OUTDATED } from "../portal/connection.js"

// Handles the forms with which a person pauses an app, changes its permissions or ends exact location.
// Decisions connection-4 to connection-9.

const connectionId = param("connection", ConnectionId, "connection")

const lengthOf = (form: Form.Form) =>
  Effect.mapError(Schema.decodeUnknown(Pause.PauseLength)(form.value("for")), () =>
    Errors.invalidRequest("The form names no length of a pause")
  )

const pause = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const length = yield* lengthOf(yield* Visitor.checked(visitor.cookie))
      // `true`: a longer pause stays as it is. The page offers no length that would shorten the pause, but another tab
      // may show a page that was opened before a longer pause began.
      const { id } = yield* pauseConnection(visitor.account.id, yield* connectionId, length, true)
      return seeOther(`${portal}/connections/${id}?done=paused`)
    })
  )

const resume = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const { id } = yield* resumeConnection(visitor.account.id, yield* connectionId)
      return seeOther(`${portal}/connections/${id}?done=resumed`)
    })
  )

const every = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* pauseAll(visitor.account.id, yield* lengthOf(yield* Visitor.checked(visitor.cookie)))
      return seeOther(`${portal}/connections?done=all-paused`)
    })
  )

const none = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      yield* resumeAll(visitor.account.id)
      return seeOther(`${portal}/connections?done=all-resumed`)
    })
  )

const endExact = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const { id } = yield* endExactLocation(visitor.account.id, yield* connectionId)
      return seeOther(`${portal}/connections/${id}?done=exact-location-ended`)
    })
  )

const restoreExact = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      yield* Visitor.checked(visitor.cookie)
      const id = yield* connectionId
      const session = { isFresh: yield* isFreshSession(visitor.cookie) }
      // With this value of `done`, the connection's page still shows the button that restores exact location.
      const back = `${portal}/connections/${id}?done=exact-location-not-restored`
      return yield* restoreExactLocation(visitor.account.id, id, session).pipe(
        Effect.as(seeOther(`${portal}/connections/${id}?done=exact-location-restored`)),
        Effect.catchTag("ConfirmationRequired", () => Effect.succeed(seeOther(ReturnTo.confirm(back)))),
        Effect.catchTag("Invalid", ({ problems }) => detail(portal, visitor, id, { problems }))
      )
    })
  )

/**
 * Reads a number of days, or another option, from a form. An empty value leaves the end date unchanged: the result is
 * then undefined. `fault`: the message for a value that is not one of the options.
 */
const daysOf = <A>(options: Schema.Schema<A>, form: Form.Form, name: string, fault: string) => {
  const text = form.value(name)
  if (text === "") return Effect.succeed(undefined)
  const value = /^[1-9]\d?$/.test(text) ? Number(text) : text
  return Option.match(Schema.decodeUnknownOption(options)(value), {
    onNone: () => Invalid.of(name, fault),
    onSome: (days) => Effect.succeed(days)
  })
}

/** The scopes that the page showed, from a hidden field. */
const scopesIn = (form: Form.Form, name: string) => form.value(name).split(" ").filter(Scope.isScope)

const change = (portal: string) =>
  Visitor.signedIn((visitor) =>
    Effect.gen(function* () {
      const form = yield* Visitor.checked(visitor.cookie)
      const id = yield* connectionId
      const chosen = form.all("scopes")
      const showAgain = (problems: ReadonlyArray<FieldProblem>) =>
        detail(portal, visitor, id, { problems, permissions: { form: Form.shown(form, problems), scopes: chosen } })
      return yield* Effect.gen(function* () {
        const limited = scopesIn(form, "was_limited")
        const change: Steering.SteeringChange = {
          scopes: chosen.filter(Scope.isScope).filter((scope) => !limited.includes(scope)),
          withoutLimited: limited.filter((scope) => !chosen.includes(scope)),
          standardDays: yield* daysOf(Tier.StandardDays, form, "standard_days", "must be 1, 7, 30, 90 or never"),
          sensitiveDays: yield* daysOf(Tier.SensitiveDays, form, "sensitive_days", "must be 1, 7, 30 or 90"),
          shown: scopesIn(form, "was_scopes")
        }
        const session = { isFresh: yield* isFreshSession(visitor.cookie) }
        yield* changeConnection(visitor.account.id, id, change, session)
        return seeOther(`${portal}/connections/${id}?done=permissions-changed`)
      }).pipe(
        Effect.catchTag("ConfirmationRequired", () =>
          Effect.succeed(Visitor.toConfirmAndChoose(`${portal}/connections/${id}`))
        ),
        Effect.catchTag("Invalid", ({ problems }) => showAgain(problems)),
        Effect.catchIf(Form.isOutdated, () => detail(portal, visitor, id, OUTDATED))
      )
    })
  )

export const routes = (options: ServiceOptions) => {
  const portal = portalPath(options)
  const one = `${portal}/connections/:connection`
  return [
    Routes.post(`${portal}/connections/pause`, every(portal)),
    Routes.post(`${portal}/connections/resume`, none(portal)),
    Routes.post(`${one}/pause`, pause(portal)),
    Routes.post(`${one}/resume`, resume(portal)),
    Routes.post(`${one}/exact-location/end`, endExact(portal)),
    Routes.post(`${one}/exact-location/restore`, restoreExact(portal)),
    Routes.post(`${one}/permissions`, change(portal))
  ]
}
