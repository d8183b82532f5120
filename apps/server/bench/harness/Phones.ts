import * as Endpoints from "./Endpoints.js"
import * as People from "./People.js"
import type { Scratch } from "./Scratch.js"

/**
 * People with ten places and an `enter` rule on each, who go from one place to the next. Each arrival fires exactly one
 * rule, and no rule fires twice within two minutes. The ids of places and rules are the same for every person: the
 * product keys them by user.
 */

const RULES = 10
export const ENDPOINTS = 2

/** The latitude of a place. The places are kilometers apart. */
const latOf = (place: number): number => People.LAT + 0.05 * place

/** How far in the past a person's first reading is. A rule fires only for a reading that is at most 15 minutes old. */
export const BEHIND_MS = 14 * 60_000
/** The time between two arrivals of a person. Ten steps take two minutes. */
export const STEP_MS = 12_000
/** The most steps of a person. The reading of a further step would be too far in the future. */
export const STEPS_MAX = Math.floor((BEHIND_MS + 4 * 60_000) / STEP_MS)

/**
 * Makes people `0` to `count - 1`, whose rule states say that they are outside all ten places, and endpoints that
 * subscribe to every firing.
 */
export const seed = async (scratch: Scratch, count: number, url: (endpoint: number) => string): Promise<void> => {
  const { query } = scratch
  await People.seed(scratch, { count })
  const each = (columns: string, values: string) =>
    query(`INSERT INTO ${columns} SELECT ${values}
           FROM generate_series(0, ${count - 1}) AS n, generate_series(0, ${RULES - 1}) AS k`)
  await each(
    "places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at)",
    `'usr_b' || n, 'plc_' || k, 'Place ' || k, 'other', ${People.LAT} + 0.05 * k, ${People.LON}, 150, 1, now() - interval '1 day'`
  )
  await each(
    "connection_places (user_id, connection_id, place_id, shared_at, include_earlier_visits)",
    "'usr_b' || n, 'con_b' || n, 'plc_' || k, date_trunc('day', now()) - interval '1 day', true"
  )
  await each(
    "rules (user_id, rule_id, connection_id, app_id, type, place_id, created_at)",
    `'usr_b' || n, 'rul_' || k, 'con_b' || n, '${People.APP}', 'enter', 'plc_' || k, now() - interval '1 day'`
  )
  await each(
    "rule_states (user_id, rule_id, side, dwell_spent, as_of, basis)",
    `'usr_b' || n, 'rul_' || k, 'outside', false, now() - interval '1 hour',
     '1 ' || (extract(epoch FROM date_trunc('day', now()) - interval '1 day') * 1000)::bigint`
  )
  await Endpoints.seed(
    scratch,
    Array.from({ length: ENDPOINTS }, (_, n) => url(n))
  )
}

const reading = (capturedAt: number, place: number) => ({
  captured_at: new Date(capturedAt).toISOString(),
  lat: latOf(place),
  lon: People.LON,
  accuracy_m: 12.5,
  altitude_m: 3.1,
  speed_mps: 1.4,
  course_deg: 87
})

/** An upload with one reading that fires no rule. */
export const outside = (capturedAt: number): string =>
  JSON.stringify({ locations: [{ ...reading(capturedAt, 0), lat: latOf(-1) }] })

/** An upload with one reading at the place of this step. Two steps in a row have different places. */
export const arrival = (startMs: number, step: number): string =>
  JSON.stringify({ locations: [reading(startMs + step * STEP_MS, step % RULES)] })

/**
 * An upload with a reading for each second. The first half of the readings is at the place of this step, the rest at
 * the next place.
 */
export const walk = (startMs: number, step: number, count: number): string =>
  JSON.stringify({
    locations: Array.from({ length: count }, (_, index) =>
      reading(startMs + (step * count + index) * 1_000, (step + (index < count / 2 ? 0 : 1)) % RULES)
    )
  })

/** How many walks of `count` readings a person can send. */
export const walksMax = (count: number): number => Math.floor((BEHIND_MS + 4 * 60_000) / (count * 1_000))
