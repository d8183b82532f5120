import { Effect, Option, Schema } from "effect"
import {
  checkPresence,
  findCurrentPlace,
  listSharedPlaces,
  lookUpPlace,
  verifyZone
} from "../../../../src/answers/answerApp.js"
import { daysForApp, fixesForApp, latestForApp, nearestForApp } from "../../../../src/answers/readCoordinates.js"
import * as Disclosure from "../../../../src/answers/Disclosure.js"
import * as Caller from "../../../../src/tokens/Caller.js"
import { describeConnection } from "../../../../src/connection/readConnections.js"
import type * as Fix from "../../../../src/fixes/Fix.js"
import * as Nearest from "../../../../src/fixes/Nearest.js"
import { Latitude, Longitude, RadiusM } from "../../../../src/places/Coordinates.js"
import { Label } from "../../../../src/places/Place.js"
import { createPlaceRule, createZoneRule } from "../../../../src/rules/createRules.js"
import { type ListedRule, listRules, removeRule } from "../../../../src/rules/manageRules.js"
import * as RuleLife from "../../../../src/rules/RuleLife.js"
import type { TermsRequest } from "../../../../src/rules/RuleRequest.js"
import { RuleId } from "../../../../src/shared/Ids.js"
import { NotFound } from "../../../../src/shared/Errors.js"
import * as Timestamp from "../../../../src/shared/Timestamp.js"
import { listVisits } from "../../../../src/visits/listVisits.js"
import * as VisitWords from "../../../../src/visits/VisitWords.js"
import type { Request, RuleFields } from "../../Operations.js"
import type { Ports } from "../../ports/Ports.js"
import { valid } from "../operations/Handlers.js"
import type { GatewayAnswer } from "./GatewayAnswer.js"

const { DAY, SECOND } = Timestamp
const DAY_S = DAY / SECOND
const whole = (min: number, max: number) => Schema.Int.pipe(Schema.between(min, max))
const at = (millis: number | null): Timestamp.Timestamp | null => (millis === null ? null : Timestamp.make(millis))

/**
 * Answers a request as the handlers of the HTTP adapter do. The caller is already authenticated, and has the scope that
 * the route needs.
 */
export const answer = (request: Request, caller: Caller.Caller): Effect.Effect<GatewayAnswer, unknown, Ports> =>
  Effect.map(answered(request, caller), (answer) =>
    isUnknown(request, answer.body) && Caller.isPaused(caller)
      ? { ...answer, body: { ...answer.body, reason: "paused" }, disclosed: Disclosure.PAUSED }
      : answer
  )

/**
 * Whether the answer says nothing about where the user is or was. If this is because the user paused the app, `answer`
 * adds the pause as the reason.
 */
const isUnknown = ({ endpoint }: Request, body: GatewayAnswer["body"]): boolean => {
  switch (endpoint) {
    case "GET /v1/answers/current-place":
    case "GET /v1/answers/places/{place_id}/presence":
    case "POST /v1/answers/verify-zone":
      return body["state"] === "unknown"
    case "GET /v1/lookup/place":
    case "GET /v1/locations/lookup":
      return body["asOf"] === null
    case "GET /v1/locations/latest":
      return body["fix"] === null
    case "GET /v1/locations/timerange":
      return isEmpty(body["fixes"])
    case "GET /v1/locations/days":
      return isEmpty(body["days"])
    case "GET /v1/visits":
      return isEmpty(body["visits"])
    default:
      return false
  }
}

const isEmpty = (list: unknown): boolean => Array.isArray(list) && list.length === 0

const answered = (request: Request, caller: Caller.Caller): Effect.Effect<GatewayAnswer, unknown, Ports> => {
  const { connection } = caller
  switch (request.endpoint) {
    case "GET /v1/me":
      return Effect.map(describeConnection(caller), (me) => ({
        body: {
          sub: me.sub,
          external_user_id: me.externalUserId,
          scopes: me.scopes,
          held_scopes: me.heldScopes,
          places_version: me.placesVersion,
          grant_expires_at: me.grantExpiresAt,
          sensitive_expires_at: me.sensitiveExpiresAt,
          sensitive_lapsed_at: me.sensitiveLapsedAt,
          renewal_grace_ends_at: me.renewalGraceEndsAt,
          connected_at: me.connectedAt
        },
        disclosed: "the terms of the connection"
      }))
    case "GET /v1/answers/current-place":
      return Effect.gen(function* () {
        const found = yield* findCurrentPlace(connection, yield* valid(whole(1, DAY_S), "max_age_s", request.maxAgeS))
        return { body: { ...found }, disclosed: Disclosure.ofCurrentPlace(found) }
      })
    case "GET /v1/answers/places":
      return Effect.map(listSharedPlaces(connection), ({ places, version }) => ({
        body: { places_version: version, places },
        disclosed: Disclosure.ofSharedPlaces(places.length)
      }))
    case "GET /v1/answers/places/{place_id}/presence":
      return Effect.gen(function* () {
        const maxAgeS = yield* valid(whole(1, DAY_S), "max_age_s", request.maxAgeS)
        const { place, presence } = yield* checkPresence(connection, request.placeId, maxAgeS)
        return {
          body: { state: presence.state, place, asOf: presence.asOf },
          disclosed: Disclosure.ofPresence(place.label, presence)
        }
      })
    case "POST /v1/answers/verify-zone":
      return Effect.gen(function* () {
        const circle = {
          lat: yield* valid(Latitude, "lat", request.lat),
          lon: yield* valid(Longitude, "lon", request.lon),
          radiusM: yield* valid(RadiusM, "radius_m", request.radiusM)
        }
        const label = yield* valid(Label, "label", request.label)
        const maxAgeS = yield* valid(whole(1, DAY_S), "max_age_s", request.maxAgeS)
        const presence = yield* verifyZone(connection, circle, maxAgeS)
        return { body: { ...presence }, disclosed: Disclosure.ofZone(label, circle.radiusM, presence) }
      })
    case "GET /v1/lookup/place":
      return Effect.gen(function* () {
        const toleranceS = yield* valid(whole(0, DAY_S), "tolerance_s", request.toleranceS)
        const moment = Timestamp.make(request.at)
        const found = yield* lookUpPlace(connection, moment, toleranceS * SECOND)
        return {
          body: { ...found, matched: found.place !== null },
          disclosed: Disclosure.ofPlaceAtMoment(moment, found)
        }
      })
    case "GET /v1/visits":
      return Effect.gen(function* () {
        const { cursor, from, limit, to } = request
        const query = { from: at(from), to: at(to), limit: yield* valid(whole(1, 500), "limit", limit) }
        const page = yield* listVisits(connection, caller.at, { ...query, cursor: cursor ?? undefined })
        // Apps do not get `isUncertain`, as in the HTTP API: only the user sees whether a visit is uncertain.
        const visits = page.visits.map(({ arrival, departure, place }) => ({ arrival, departure, place }))
        return { body: { ...page, visits }, disclosed: VisitWords.of(page.visits) }
      })
    case "GET /v1/locations/latest":
      return Effect.map(latestForApp(connection), (fix) => ({
        body: { fix: Option.getOrNull(Option.map(fix, encodeFix)) },
        disclosed: Disclosure.ofLatest(Option.isSome(fix))
      }))
    case "GET /v1/locations/lookup":
      return Effect.gen(function* () {
        const toleranceS = yield* valid(whole(0, DAY_S), "tolerance_s", request.toleranceS)
        const moment = Timestamp.make(request.at)
        const nearest = yield* nearestForApp(connection, moment, toleranceS * SECOND)
        return { body: encodeNearest(nearest), disclosed: Disclosure.ofNearest(moment, nearest) }
      })
    case "GET /v1/locations/timerange":
      return Effect.gen(function* () {
        const stretch = { from: Timestamp.make(request.from), until: Timestamp.make(request.to) }
        const limit = yield* valid(whole(1, 1_000), "limit", request.limit)
        const { fixes, nextCursor } = yield* fixesForApp(connection, stretch, limit, undefined)
        return {
          body: { fixes: fixes.map(encodeFix), nextCursor },
          disclosed: Disclosure.ofRange(fixes.length, stretch)
        }
      })
    case "GET /v1/locations/days":
      return Effect.gen(function* () {
        const stretch = { from: Timestamp.make(request.from), until: Timestamp.make(request.to) }
        const days = yield* daysForApp(connection, stretch, request.tz ?? "UTC")
        return {
          body: {
            days: days.map(({ date, firstAt, fixes, lastAt }) => ({ date, fixes, first_at: firstAt, last_at: lastAt }))
          },
          disclosed: Disclosure.ofDays(days.length, stretch)
        }
      })
    case "POST /v1/rules/place":
      return Effect.map(createPlaceRule(connection, { ...terms(request), placeId: request.placeId }), (rule) => ({
        status: 201,
        body: encodeRule({ ...rule, state: RuleLife.state(rule, caller.at) }),
        disclosed: `the name of ${rule.target.label}`
      }))
    case "POST /v1/rules/zone":
      return Effect.map(createZoneRule(connection, { ...terms(request), ...zone(request) }), (rule) => ({
        status: 201,
        body: encodeRule({ ...rule, state: RuleLife.state(rule, caller.at) }),
        disclosed: `nothing yet; it asked for notifications about ${rule.target.label}`
      }))
    case "GET /v1/rules/place":
    case "GET /v1/rules/zone":
      return Effect.map(
        listRules(connection, request.endpoint === "GET /v1/rules/place" ? "Place" : "Zone", {
          limit: 500,
          cursor: undefined
        }),
        ({ nextCursor, rules }) => ({
          body: { rules: rules.map(encodeRule), nextCursor },
          disclosed: `${rules.length} rules`
        })
      )
    case "DELETE /v1/rules/place/{id}":
    case "DELETE /v1/rules/zone/{id}":
      return Effect.gen(function* () {
        const id = yield* Effect.mapError(
          Schema.decode(RuleId)(request.ruleId as RuleId),
          () => new NotFound({ what: "rule" })
        )
        yield* removeRule(connection, id, request.endpoint === "DELETE /v1/rules/place/{id}" ? "Place" : "Zone")
        return { status: 204, body: {}, disclosed: null }
      })
  }
}

const terms = (fields: RuleFields): TermsRequest => ({
  type: fields.type,
  dwellMinutes: fields.dwellMinutes,
  settleS: fields.settleS,
  silenceS: fields.silenceS,
  webhookUrl: fields.webhookUrl,
  activeFrom: iso(fields.activeFrom),
  activeUntil: iso(fields.activeUntil),
  maxEventAgeS: fields.maxEventAgeS
})

const iso = (millis: number | null): string | null => (millis === null ? null : Timestamp.toIso(Timestamp.make(millis)))

const zone = ({ label, lat, lon, radiusM }: Extract<Request, { endpoint: "POST /v1/rules/zone" }>) => ({
  label,
  lat,
  lon,
  radiusM
})

const encodeFix = ({ accuracyM, capturedAt, lat, lon }: Fix.Fix) => ({
  lat,
  lon,
  accuracy_m: accuracyM,
  captured_at: capturedAt
})

const encodeNearest = (nearest: Nearest.Nearest | undefined) =>
  nearest === undefined
    ? { matched: false, fix: null, asOf: null, deltaSeconds: null }
    : {
        matched: true,
        fix: encodeFix(nearest.fix),
        asOf: nearest.fix.capturedAt,
        deltaSeconds: Nearest.deltaSeconds(nearest)
      }

const encodeRule = (rule: ListedRule) => ({
  id: rule.id,
  type: rule.type,
  target: { place_id: rule.target._tag === "Place" ? rule.target.placeId : null, label: rule.target.label },
  dwell_minutes: rule.dwellMinutes,
  settle_s: rule.settleS,
  silence_s: rule.silenceS,
  active_from: rule.window.from,
  active_until: rule.window.until,
  state: rule.state,
  disabled_at: rule.disabledAt,
  created_at: rule.createdAt,
  webhook_url: rule.webhookUrl,
  max_event_age_s: rule.maxEventAgeS,
  ...(rule.target._tag === "Zone"
    ? { lat: rule.target.circle.lat, lon: rule.target.circle.lon, radius_m: rule.target.circle.radiusM }
    : {})
})
