import { Effect, Either, Option, Schema } from "effect"
import type { InvalidToken } from "../connection/Errors.js"
import type { EndpointStore } from "../endpoints/EndpointStore.js"
import type { Place } from "../places/Place.js"
import { PlaceStore } from "../places/PlaceStore.js"
import * as Entropy from "../shared/Entropy.js"
import { PlaceId, RuleId } from "../shared/Ids.js"
import { type Invalid, NotFound } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import { admitted, orEnded, requireEndpoint, ruleOf, type RuleCaller } from "./createRule.js"
import type { RuleLimitReached, WebhookUrlNotRegistered } from "./Errors.js"
import type { Rule, SharedPlace } from "./Rule.js"
import * as RuleRequest from "./RuleRequest.js"
import { RuleStore } from "./RuleStore.js"

/**
 * A standing question about one of the places that the user shares with the app (Spec §4.6). The request's own problems come
 * first and all at once, then an address that is no endpoint, a place that the app cannot see, and the limit of ten.
 */
export const createPlaceRule = (
  caller: RuleCaller,
  request: RuleRequest.PlaceRuleRequest
): Effect.Effect<
  Rule<SharedPlace>,
  Invalid | WebhookUrlNotRegistered | NotFound | RuleLimitReached | InvalidToken | StoreError,
  RuleStore | PlaceStore | EndpointStore | Entropy.Entropy
> =>
  Effect.gen(function* () {
    const { placeId, terms } = yield* RuleRequest.checkPlace(request, yield* Timestamp.now)
    yield* requireEndpoint(caller, terms)
    const { id, label } = yield* visiblePlace(caller, placeId)
    const ruleId = RuleId.make(yield* Entropy.id("rul"))
    const created = yield* (yield* RuleStore).create(caller.userId, caller.id, (present, now) => {
      const rule = admitted(ruleOf(caller, ruleId, { _tag: "Place", placeId: id, label }, terms, now), present, now)
      return { outcome: rule, rule: Either.getOrNull(rule) }
    })
    return yield* yield* orEnded(caller, created)
  }).pipe(Effect.withSpan("createPlaceRule"))

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
