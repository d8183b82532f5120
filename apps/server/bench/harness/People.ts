import type { Scratch } from "./Scratch.js"

// Makes people who have connected one app, thousands of them in a few statements. The functions below compute the ids
// and tokens of person `n`, both for the harness and for the load client.

export const APP = "app_bench"
export const CLIENT_SECRET = `pa_cs_${"0".repeat(52)}`

/** A number in 52 digits, because the tokens of the service have 52 characters. */
const digits = (n: number): string => String(n).padStart(52, "0")

export const user = (n: number): string => `usr_b${n}`
export const connection = (n: number): string => `con_b${n}`
export const place = (n: number): string => `plc_b${n}`
export const device = (n: number): string => `dev_b${n}`
export const accessToken = (n: number): string => `pa_at.${connection(n)}.${digits(n)}`
export const refreshToken = (n: number): string => `pa_rt.${connection(n)}.${digits(n)}`
/**
 * The token of a person's phone. It contains the id of its user, because the user's id is the first key of the device's
 * row. `phone`: 0 for the phone of `seed`, and from 1 on for those of `seedPhones`.
 */
export const deviceToken = (n: number, phone = 0): string => `pa_dv.${user(n)}.${digits(phone * PHONE_STEP + n)}`

/** A number greater than the number of people, so that each phone has a number of its own. */
const PHONE_STEP = 1_000_000_000

const HASH = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`
const DIGITS = "lpad(n::text, 52, '0')"
const SCOPES = `ARRAY['location.place.current','location.place.lookup','location.visits.read','location.rules.place','location.places.watch']`

export const LAT = 52.37
export const LON = 4.89

/**
 * Makes the app, its developer, and people `from` to `from + count - 1`. Each has a place shared with the app, and a
 * phone with `fixes` fixes at that place.
 */
export const seed = async (
  { query }: Pick<Scratch, "query">,
  { count, fixes = 1, from = 0 }: { readonly count: number; readonly fixes?: number; readonly from?: number }
): Promise<void> => {
  const people = `generate_series(${from}, ${from + count - 1}) AS n`
  const each = (columns: string, values: string) => query(`INSERT INTO ${columns} SELECT ${values} FROM ${people}`)

  await query(`INSERT INTO accounts (user_id, email, display_name, password_hash, roles, created_at)
    VALUES ('usr_developer', 'developer@example.com', 'Developer', '-', '{}', now()) ON CONFLICT DO NOTHING`)
  await query(`INSERT INTO apps (app_id, owner_id, name, description, declared_scopes, redirect_uris, client_secrets, status, created_at)
    VALUES ('${APP}', 'usr_developer', 'Umbrella', 'Reminds you of your umbrella', ${SCOPES}, '{https://app.example.com/callback}',
      jsonb_build_array(jsonb_build_object('hash', ${HASH(`'${CLIENT_SECRET}'`)},
        'createdAt', (extract(epoch FROM now()) * 1000)::bigint, 'expiresAt', NULL)), 'production', now()) ON CONFLICT DO NOTHING`)
  await each(
    "accounts (user_id, email, display_name, password_hash, roles, created_at)",
    "'usr_b' || n, n || '@example.com', 'Person ' || n, '-', '{}', now()"
  )
  await each("subjects (user_id, app_id, sub)", `'usr_b' || n, '${APP}', 'sub_b' || n`)
  await each(
    `connections (user_id, connection_id, app_id, sub, held_scopes, places_version, standard_expires_at, connected_at, family_id)`,
    `'usr_b' || n, 'con_b' || n, '${APP}', 'sub_b' || n, ${SCOPES}, 1, now() + interval '90 days', now(), 'fam_b' || n`
  )
  await each("connection_routes (connection_id, user_id)", "'con_b' || n, 'usr_b' || n")
  await each(
    "connection_places (user_id, connection_id, place_id, shared_at, include_earlier_visits)",
    "'usr_b' || n, 'con_b' || n, 'plc_b' || n, now() - interval '1 day', true"
  )
  await each(
    "access_tokens (user_id, token_hash, connection_id, family_id, issued_at)",
    `'usr_b' || n, ${HASH(`'pa_at.con_b' || n || '.' || ${DIGITS}`)}, 'con_b' || n, 'fam_b' || n, now()`
  )
  await each(
    "refresh_tokens (user_id, token_hash, connection_id, family_id, issued_at, link)",
    `'usr_b' || n, ${HASH(`'pa_rt.con_b' || n || '.' || ${DIGITS}`)}, 'con_b' || n, 'fam_b' || n, now(), 0`
  )
  await each(
    "places (user_id, place_id, label, kind, lat, lon, radius_m, geometry_version, created_at)",
    `'usr_b' || n, 'plc_b' || n, 'Home', 'home', ${LAT}, ${LON}, 150, 1, now() - interval '400 days'`
  )
  await each(
    "place_shapes (user_id, place_id, geometry_version, lat, lon, radius_m)",
    `'usr_b' || n, 'plc_b' || n, 1, ${LAT}, ${LON}, 150`
  )
  await each(
    "devices (user_id, device_id, name, format, token_hash, created_at, last_seen_at)",
    `'usr_b' || n, 'dev_b' || n, 'Phone', 'json', ${HASH(`'pa_dv.usr_b' || n || '.' || ${DIGITS}`)}, now(), now()`
  )
  await each("upload_streams (user_id, version)", "'usr_b' || n, 1")
  await query(`INSERT INTO fixes (user_id, captured_at, device_id, lat, lon, accuracy_m, received_at)
    SELECT 'usr_b' || n, date_trunc('second', now()) - make_interval(mins => i), 'dev_b' || n, ${LAT}, ${LON}, 10, now()
    FROM ${people}, generate_series(1, ${fixes}) AS i`)
}

/**
 * Makes further phones of the people `from` to `from + count - 1`, so that each of them has `phones` phones afterwards.
 */
export const seedPhones = async (
  { query }: Pick<Scratch, "query">,
  { count, from = 0, phones }: { readonly count: number; readonly from?: number; readonly phones: number }
): Promise<void> => {
  const number = `lpad((k * ${PHONE_STEP} + n)::text, 52, '0')`
  await query(`INSERT INTO devices (user_id, device_id, name, format, token_hash, created_at, last_seen_at)
    SELECT 'usr_b' || n, 'dev_b' || n || '_' || k, 'Phone ' || k, 'json',
           ${HASH(`'pa_dv.usr_b' || n || '.' || ${number}`)}, now(), now()
    FROM generate_series(${from}, ${from + count - 1}) AS n, generate_series(1, ${phones - 1}::bigint) AS k`)
}
