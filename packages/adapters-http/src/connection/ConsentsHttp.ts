import { type ConsentRefused, type Pause, type Uses } from "@place-access/domain/connection"
import { type ConsentReview, decideConsent, reviewConsent, sharesWithoutEnd } from "@place-access/domain/consent"
import { Invalid, Problem } from "@place-access/domain/shared"
import { Array, Effect } from "effect"
import { Api } from "../Api.js"
import * as Group from "../Group.js"
import { HttpOptions } from "../HttpOptions.js"
import { requireFreshSignIn } from "../security/FreshSignIn.js"
import { SignedIn } from "../security/SessionAuth.js"
import * as Errors from "../wire/Errors.js"
import { toWire } from "../wire/toWire.js"

/**
 * A `Problem` names a field as the form of the consent page does. This table has the fields whose name in the JSON body
 * differs from their name in the form.
 */
const NAMES: Readonly<Record<string, string>> = { scope: "scopes", place: "places" }

const named = ({ field, message }: Problem): Problem => new Problem({ field: NAMES[field] ?? field, message })

type Refusal = typeof Errors.NotFound.Type | typeof Errors.Forbidden.Type | typeof Errors.Conflict.Type

const refused = ({ reason }: ConsentRefused): Effect.Effect<never, Refusal> => {
  switch (reason) {
    case "unknown":
      return Effect.fail(Errors.notFound("consent request"))
    case "sandbox":
      return Effect.fail(Errors.forbidden("the app is still being tested: only its holder can connect it"))
    case "app_revoked":
      return Effect.fail(Errors.forbidden("the app was revoked permanently"))
    case "app_suspended":
      return Effect.fail(Errors.forbidden("the app cannot be connected at the moment"))
    case "expired":
      return Effect.fail(Errors.conflict("the request is more than an hour old"))
    case "decided":
      return Effect.fail(Errors.conflict("the request is decided already"))
    case "outdated":
      return Effect.fail(
        Errors.conflict("something has changed meanwhile: review the request again, or start again in the app")
      )
  }
}

export const layer = Group.group(Api, "consents", (handlers) =>
  handlers
    .handle("review", ({ path }) =>
      Effect.gen(function* () {
        return encode(yield* reviewConsent(path.id, yield* SignedIn))
      }).pipe(
        Effect.catchTag("ConsentRefused", (error) => refused(error)),
        toWire
      )
    )
    .handle(
      "decide",
      ({ path, payload }) =>
        Effect.gen(function* () {
          const places = payload.places ?? []
          const choices = {
            decision: payload.decision,
            shown: payload.mode,
            scopes: payload.scopes ?? [],
            places: places.map((place) => place.id),
            earlier: places.flatMap((place) => (place.include_earlier_visits ? [place.id] : [])),
            standardDays: payload.standard_days?.toString(),
            sensitiveDays: payload.sensitive_days?.toString()
          }
          const account = yield* SignedIn
          if (sharesWithoutEnd(choices)) yield* requireFreshSignIn
          const { addressRule, baseUrl } = yield* HttpOptions
          const { redirectTo } = yield* decideConsent(path.id, account, choices, baseUrl, addressRule).pipe(
            Effect.catchTag("Invalid", ({ problems }) => new Invalid({ problems: Array.map(problems, named) }))
          )
          return { redirect_to: redirectTo }
        }).pipe(
          Effect.catchTag("ConsentRefused", (error) => refused(error)),
          toWire
        ),
      { uninterruptible: true }
    )
)

export const encodePause = (pause: Pause.Pause | null) =>
  pause === null ? null : { since: pause.from, until: pause.until }

export const encodeUses = (uses: Uses.Uses) => ({
  since: uses.since,
  by_purpose: uses.byPurpose.map(({ count, description, id }) => ({ purpose: id, description, count })),
  without_purpose: uses.withoutPurpose
})

const encode = (review: ConsentReview.ConsentReview) => ({
  id: review.requestId,
  mode: review.mode,
  app: {
    id: review.app.id,
    name: review.app.name,
    description: review.app.description,
    homepage_url: review.app.homepageUrl,
    status: review.app.status,
    developer_name: review.developerName,
    redirect_origin: review.redirectOrigin
  },
  scopes: review.scopes.map((choice) => ({
    scope: choice.scope,
    sensitive: choice.sensitive,
    description: choice.description,
    purposes: choice.purposes,
    held_before: choice.heldBefore,
    preselected: choice.ticked
  })),
  leaving: review.leaving.map(({ scope }) => scope),
  asks_places: review.asksPlaces,
  asks_standard_days: review.asksStandardDays,
  places: review.places.map((place) => ({
    id: place.id,
    label: place.label,
    kind: place.kind,
    preselected: place.ticked,
    earlier_visits_preselected: place.earlierTicked
  })),
  previous:
    review.previous === null
      ? null
      : {
          connected_at: review.previous.connectedAt,
          grant_expires_at: review.previous.standardExpiresAt,
          sensitive_expires_at: review.previous.sensitiveExpiresAt,
          pause: encodePause(review.previous.pause)
        },
  uses: review.uses === null ? null : encodeUses(review.uses),
  standard_options: review.standardOptions.map(option),
  sensitive_options: review.sensitiveOptions.map(option),
  phone_has_sent: review.phoneHasSent
})

const option = <Days>({ days, endsAt, preselected }: ConsentReview.ExpiryOption<Days>) => ({
  days,
  ends_at: endsAt,
  preselected
})
