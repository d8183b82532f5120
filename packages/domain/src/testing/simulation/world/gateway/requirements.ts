import type { Scope } from "../../../../shared/Scope.js"
import type { Endpoint } from "../../Operations.js"

/** What a token must be good for (decisions §3). */
export type Requirement = Scope | "any_standard" | "none"

export const REQUIREMENTS: Readonly<Record<Endpoint, Requirement>> = {
  "GET /v1/me": "none",
  "GET /v1/answers/current-place": "location.place.current",
  "GET /v1/answers/places": "any_standard",
  "GET /v1/answers/places/{id}/presence": "location.place.current",
  "POST /v1/answers/verify-zone": "location.zone.verify",
  "GET /v1/lookup/place": "location.place.lookup",
  "GET /v1/visits": "location.visits.read",
  "GET /v1/locations/latest": "location.latest.read",
  "GET /v1/locations/lookup": "location.lookup",
  "GET /v1/locations/timerange": "location.history.read",
  "GET /v1/locations/days": "location.history.read",
  "POST /v1/rules/place": "location.rules.place",
  "POST /v1/rules/zone": "location.rules.zone",
  "GET /v1/rules/place": "location.rules.place",
  "GET /v1/rules/zone": "location.rules.zone",
  "DELETE /v1/rules/place/{id}": "location.rules.place",
  "DELETE /v1/rules/zone/{id}": "location.rules.zone"
}
