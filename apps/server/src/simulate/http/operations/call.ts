import type { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import type { RefusedRequest } from "../Client.js"
import type { Handlers } from "./Handlers.js"
import { iso } from "./people.js"

interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | null>>
  readonly json?: unknown
}

/** The calls of an app with a bearer token. A refusal counts as an answer, except 503, which is a failure. */
export const calls: Handlers<"call"> = {
  call: ({ purpose, request, token }, { client, registry }) => {
    const { json, method, path, query } = apiRequestOf(request)
    const sent = client.send({ token: registry.secrets.raw(token) }, method, path, {
      ...(json === undefined ? {} : { json }),
      query: { ...query, ...(purpose === undefined ? {} : { purpose }) }
    })
    return sent.pipe(
      Effect.map(({ body, status }): Simulation.Answered => ({ status, error: null, body })),
      Effect.catchAll((refused) => (refused.status === 503 ? Effect.fail(refused) : Effect.succeed(answered(refused))))
    )
  }
}

const CARRIED = ["scope", "sensitive_expired_at", "renewal_grace_ends_at", "instant"]

const answered = ({ body, error, status }: RefusedRequest): Simulation.Answered => ({
  status,
  error,
  body: Object.fromEntries(CARRIED.filter((name) => name in body).map((name) => [name, body[name]]))
})

const apiRequestOf = (request: Simulation.Request): ApiRequest => {
  const [method = "", route = ""] = request.endpoint.split(" ")
  const get = (query: ApiRequest["query"] = {}): ApiRequest => ({ method, path: route, query })
  switch (request.endpoint) {
    case "GET /v1/me":
    case "GET /v1/answers/places":
    case "GET /v1/locations/latest":
      return get()
    case "GET /v1/answers/current-place":
      return get({ max_age_s: request.maxAgeS })
    case "GET /v1/answers/places/{place_id}/presence":
      return {
        method,
        path: route.replace("{place_id}", encodeURIComponent(request.placeId)),
        query: { max_age_s: request.maxAgeS }
      }
    case "POST /v1/answers/verify-zone": {
      const { label, lat, lon, maxAgeS, radiusM } = request
      return { method, path: route, json: { lat, lon, radius_m: radiusM, label, max_age_s: maxAgeS } }
    }
    case "GET /v1/lookup/place":
    case "GET /v1/locations/lookup":
      return get({ at: iso(request.at), tolerance_s: request.toleranceS })
    case "GET /v1/visits":
      return get({
        from: request.from === null ? null : iso(request.from),
        to: request.to === null ? null : iso(request.to),
        limit: request.limit,
        cursor: request.cursor
      })
    case "GET /v1/locations/timerange":
      return get({ from: iso(request.from), to: iso(request.to), limit: request.limit })
    case "GET /v1/locations/days":
      return get({ from: iso(request.from), to: iso(request.to), tz: request.tz ?? null })
    case "POST /v1/rules/place":
      return { method, path: route, json: { ...terms(request), place_id: request.placeId } }
    case "POST /v1/rules/zone": {
      const { label, lat, lon, radiusM } = request
      return { method, path: route, json: { ...terms(request), lat, lon, radius_m: radiusM, label } }
    }
    case "GET /v1/rules/place":
    case "GET /v1/rules/zone":
      return get({ limit: 500 })
    case "DELETE /v1/rules/place/{id}":
    case "DELETE /v1/rules/zone/{id}":
      return { method, path: route.replace("{id}", encodeURIComponent(request.ruleId)) }
  }
}

const terms = (fields: Simulation.RuleFields) => ({
  type: fields.type,
  dwell_minutes: fields.dwellMinutes,
  settle_s: fields.settleS,
  silence_s: fields.silenceS,
  webhook_url: fields.webhookUrl,
  active_from: fields.activeFrom === null ? null : iso(fields.activeFrom),
  active_until: fields.activeUntil === null ? null : iso(fields.activeUntil),
  max_event_age_s: fields.maxEventAgeS
})
