import { Effect, Either, Option, Schema } from "effect"
import type { Connection } from "../connection/Connection.js"
import { InvalidToken } from "../connection/Errors.js"
import { EndpointStore } from "../endpoints/EndpointStore.js"
import type { Place } from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as Entropy from "../shared/Entropy.js"
import { PlaceId, RuleId } from "../shared/Ids.js"
import { type Invalid, NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import * as ConcurrentLimit from "./ConcurrentLimit.js"
import { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
import type { Rule } from "./Rule.js"
import * as RuleRequest from "./RuleRequest.js"
import { RuleStore } from "./RuleStore.js"

/** The connection that asks; its token had the scope. */
export type RuleCaller = Pick<Connection, "userId" | "id" | "appId" | "places">

/**
 * A standing question about one of the places that the user shares with the app (Spec §4.6). The request's own problems come
 * first and all at once, then an address that is no endpoint, a place that the app cannot see, and the limit of ten.
 */
export const createPlaceRule = (
  caller: RuleCaller,
  request: RuleRequest.PlaceRuleRequest
): Effect.Effect<
  Rule,
  Invalid | WebhookUrlNotRegistered | NotFound | RuleLimitReached | InvalidToken | StoreError,
  RuleStore | PlaceStore | EndpointStore | Entropy.Entropy
> =>
  Effect.gen(function* () {
    const { placeId, terms } = yield* RuleRequest.check(request, yield* Timestamp.now)
    if (terms.webhookUrl !== null) yield* requireEndpoint(caller.appId, terms.webhookUrl)
    const place = yield* visiblePlace(caller, placeId)
    const id = RuleId.make(yield* Entropy.id("rul"))

    const created = yield* (yield* RuleStore).create(caller.userId, caller.id, (present, now) =>
      admitted({ ...ruleOf(caller, id, place, terms), createdAt: now }, present, now)
    )
    // Ended between the check of the token and the lock: the token is worth nothing any more.
    if (Option.isNone(created)) {
      return yield* new InvalidToken({
        known: { userId: caller.userId, connectionId: caller.id, appId: caller.appId }
      })
    }
    return yield* created.value
  }).pipe(Effect.withSpan("createPlaceRule"))

const ruleOf = (caller: RuleCaller, id: RuleId, place: Place, terms: RuleRequest.Terms): Omit<Rule, "createdAt"> => ({
  userId: caller.userId,
  id,
  connectionId: caller.id,
  appId: caller.appId,
  target: { _tag: "Place", placeId: place.id, label: place.label },
  ...terms,
  disabledAt: null
})

/** Decided under the lock: the rule, unless some instant would see eleven. */
const admitted = (
  rule: Rule,
  present: ReadonlyArray<Rule>,
  now: Timestamp.Timestamp
): { readonly outcome: Either.Either<Rule, RuleLimitReached>; readonly rule: Rule | null } => {
  const windows = present.map((one) => one.window)
  const instant = ConcurrentLimit.firstOverflow(windows, rule.window, now)
  return instant === undefined
    ? { outcome: Either.right(rule), rule }
    : { outcome: Either.left(new RuleLimitReached({ instant })), rule: null }
}

/** Registered means that it is there; whether it is enabled or subscribed decides later what it gets (Spec §4.6.7). */
const requireEndpoint = (
  appId: Connection["appId"],
  url: string
): Effect.Effect<void, WebhookUrlNotRegistered | StoreError, EndpointStore> =>
  Effect.gen(function* () {
    const endpoints = yield* (yield* EndpointStore).list(appId)
    if (!endpoints.some((endpoint) => endpoint.url === url)) return yield* new WebhookUrlNotRegistered()
  })

const parsePlaceId = Schema.decodeOption(PlaceId)

/** Shared with the app and not archived; every other place does not exist for it. */
const visiblePlace = (caller: RuleCaller, text: string): Effect.Effect<Place, NotFound | StoreError, PlaceStore> =>
  Effect.gen(function* () {
    const id = parsePlaceId(text).pipe(Option.filter((id) => caller.places.some((shared) => shared.placeId === id)))
    if (Option.isNone(id)) return yield* new NotFound({ what: "place" })
    const place = yield* (yield* PlaceStore).find(caller.userId, id.value)
    if (Option.isNone(place) || place.value.archivedAt !== null) return yield* new NotFound({ what: "place" })
    return place.value
  })
