import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

/** The specification's tables, row by row: what docs/coverage.md must answer, in this order. */
const ROWS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "§3.1 Connection expiry tiers": [
    "live: consent completed",
    "live (standard tier): standard expiry passes",
    "live (sensitive active): sensitive_expires_at passes",
    "sensitive lapsed: renewal consent",
    "sensitive lapsed: grace ends",
    "live (sensitive active): renewal consent before the date",
    "live: change consent",
    "live: user disconnects, admin revokes, or POST /v1/oauth/revoke",
    "live: spent refresh token presented",
    "live: authorization code exchanged a second time"
  ],
  "§3.2 Purpose status": [
    "(none): create",
    "draft: submit",
    "in review: reviewer approves",
    "in review: reviewer rejects",
    "approved: edit",
    "any: archive"
  ],
  "§3.3 Rule lifecycle": [
    "created: creation",
    "active: active_from not yet reached",
    "active: active_until passes",
    "active: DELETE, user deletes rule, user disconnects, or standard tier expires",
    "disabled and back (decision L8)"
  ],
  "§3.4 Webhook endpoint": [
    "enabled: 20 consecutive events that exhausted all retries",
    "disabled: nothing is sent; events waiting are not sent",
    "an automatic success resets the counter",
    "disabled: PATCH enabled: true",
    "Replays and Retry now never count",
    "its developer is told at 10 and at 20",
    "and sees it on the pages"
  ],
  "§3.5 Delivery row": [
    "Trying",
    "Trying → Delivered: a 2xx answer",
    "Trying → Failed: all attempts used",
    "Trying → Failed: the endpoint is disabled",
    "Trying → Failed: the endpoint is removed (ours)",
    "Trying → Failed: not authorised any more (decision W3)",
    "Trying → Failed: faults of our own without end (decision W3)",
    "Trying → Too old to send: past max_event_age_s",
    "Trying → Trying: a lease that ran out (decision W2)",
    "Delivered",
    "Failed",
    "Too old to send"
  ],
  "§4.1 Consent: parameters": [
    "client_id",
    "redirect_uri",
    "scope",
    "code_challenge",
    "code_challenge_method",
    "state",
    "external_user_id",
    "completion: code and state"
  ],
  "§4.1 Consent: modes": [
    "new",
    "renew_sensitive",
    "change",
    "fewer scopes than requested, places and expiries picked",
    "no phone yet"
  ],
  "§4.2 Expiry choices": ["Standard", "Sensitive", "one expiry for all sensitive scopes"],
  "§4.3 OAuth and identity: routes and request fields": [
    "POST /v1/oauth/clients/{app_id}",
    "POST /v1/oauth/token",
    "POST /v1/oauth/revoke",
    "GET /v1/me",
    "grantType authorization_code: every field required",
    "grantType refresh_token: every field required"
  ],
  "§4.3 OAuth and identity: response fields": [
    "access_token",
    "token_type",
    "expires_in",
    "refresh_token",
    "refresh_token_expires_at",
    "sensitive_scopes_expire_at",
    "scope",
    "sub"
  ],
  "§4.3 OAuth and identity: rules": [
    "1: refresh rotates",
    "2: race and revoked tokens",
    "3: invalid_grant",
    "4: revoke"
  ],
  "§4.4 Raw locations": [
    "purpose on every call",
    "GET /v1/locations/latest",
    "GET /v1/locations/lookup",
    "GET /v1/locations/timerange",
    "GET /v1/locations/days"
  ],
  "§4.5 Answers and the place at a moment": [
    "GET /v1/answers/current-place",
    "GET /v1/answers/places",
    "GET /v1/answers/places/{place_id}/presence",
    "POST /v1/answers/verify-zone",
    "lookup/place: nearest fix on either side, and its place",
    "lookup/place: no fix within tolerance_s",
    "GET /v1/visits",
    "visits 1: at shared places only",
    "visits 2: pages",
    "visits 3: since the place was shared",
    "visits 4: open visits",
    "visits 5: labels, archived places",
    "visits 6: history gains rows",
    "visits 7: the phone's visit events",
    "a year of fixes, by index",
    "only places visible to the app"
  ],
  "§4.6 Rules": [
    "POST /v1/rules/place",
    "POST /v1/rules/zone",
    "GET /v1/rules/place, /v1/rules/zone",
    "DELETE /v1/rules/place/{id}, /v1/rules/zone/{id}",
    "enter",
    "exit",
    "dwell",
    "1: the first reading only establishes state",
    "1: readings captured before the rule was made may seed it and never fire it (decision M5)",
    "2: boundary",
    "3: cooldown",
    "4: stale",
    "5: window",
    "6: ten at one instant",
    "7: webhook_url",
    "8: max_event_age_s",
    "9: events fire as fixes arrive",
    "10: what stops a rule",
    "all of them together"
  ],
  "§4.7 Endpoint URL requirements, and decision W5": [
    "https only; at most 2,048 characters",
    "localhost, .local, .internal, single-label hosts",
    "IP literals",
    "publicly resolvable",
    "checked again at every connection",
    "every class of addresses, to its edges",
    "redirects are not followed"
  ],
  "§4.7 Delivery log: Redeliver and Retry now": [
    "Redeliver",
    "Redeliver: refused",
    "Retry now",
    "neither ever counts for or against the counter",
    "a replay adds no second entry to the access log",
    "recover (decisions §10)",
    "filter by endpoint, event or outcome"
  ],
  "§4.8 and §6.4.8-9 From before endpoints": [
    "POST /v1/subscriptions",
    "DELETE /v1/subscriptions/:id",
    "deprecated (§9.3)",
    "§6.4.8: 0 s, 30 s, 5 min",
    "§6.4.8: held in memory",
    "§6.4.8: payloads",
    "checked against live authorisation and max_event_age_s every time",
    "one entry in the access log, none in the delivery log",
    "§6.4.9: own webhook_url and secret until deleted",
    "§6.4.9: migration"
  ],
  "§6.3 Events: timing and rules": [
    "1: checks every 15 minutes",
    "2: once per expiry date; a renewal starts the cycle again",
    "3: a threshold already passed at consent is skipped",
    "4: places.changed, with the version",
    "5: live authorization at every attempt",
    "5: except the events of the sensitive tier",
    "6: at least once, duplicates carry the same event_id",
    "6: lost when a receiver is down for over a day or the endpoint is disabled while events wait"
  ],
  "§6.4 Delivery and signature": [
    "1: a POST with a JSON body to each subscribed endpoint",
    "1: whatever else waits: a black hole delays nobody (research, lesson 3)",
    "2: X-Service-Signature",
    "3: one v1 per valid secret for 24 hours after a rotation",
    "4: every attempt is signed fresh",
    "4: what receivers check",
    "5: 2xx within 5 seconds, anything else is a failure",
    "6: 30 s, 5 min, 30 min, 2 h, 6 h, 15 h after the previous attempt; seven in all",
    "6: retries are stored with the event",
    "7: an exhausted event counts once, 20 in a row disable, a success resets",
    "8: legacy deliveries",
    "9: migration",
    "the address as it is at the attempt (ours)",
    "the first KiB of the answer, whatever bytes it is (ours)"
  ],
  "§7 Errors": [
    "400 invalid_purpose",
    "400 webhook_url_not_registered",
    "400 (validation)",
    "401 (token)",
    "401 (client)",
    "403 missing_scope",
    "403 scope_expired",
    "404",
    "409",
    "429",
    "(token endpoint) invalid_grant"
  ],
  "How long history is kept: amendment M3": [
    "for ever unless its owner chooses otherwise",
    "offered at sign-up and in settings",
    "what is older is answered as put aside"
  ],
  "History import: decisions of imports.md": [
    "GPX, Google Timeline of Android and iOS, Takeout records",
    "the same entries however the bytes come",
    "in the background, with progress",
    "resumable",
    "feeding history only",
    "the same file again adds nothing",
    "broken files",
    "long files"
  ],
  "Phones: decisions §10, L3, L4 and L10": [
    'Overland: fixes, visits, actions and trips; `{"result":"ok"}`',
    "Overland: `set`",
    "Overland: an error that the app shows",
    "OwnTracks: `[]` to every message",
    "OwnTracks: km/h, accuracy 0, times from 2001 (L3)",
    "OwnTracks: never 4xx",
    "OsmAnd and Traccar Client: query, form, JSON; 200 and empty",
    "GPSLogger: what the set-up says is what is accepted; the file again every hour",
    "a device that stays at home decides nothing while another sends (M14)",
    "of several devices the one that moved last is believed (M14)",
    "no phone throws data away",
    "set-up by QR code, link and steps"
  ],
  "§1.7 Access log, and limits: decisions §4, §9 P3, §11": [
    "every request of an app, answered or refused, has one entry",
    "committed before the answer leaves",
    "entries in flight share one insert",
    "every firing is an entry, a replay adds none",
    "the user reads it in words, filters it and takes it away",
    "RATE_LIMIT_PER_MINUTE, per connection",
    "questions about zones: 20 an hour, and a day that finds nobody",
    "mail with an app's name: five an hour and person",
    "OAuth clients and phones"
  ],
  "Documentation that is served": [
    "OpenAPI 3.1 from the contract, linted clean",
    "examples that are true",
    "a readable reference at /docs: every operation, scope and error code",
    "the event catalogue with examples",
    "a quick start that was followed to the letter",
    "for everybody, without scripts, asked for again only when changed"
  ]
}

const ROOT = join(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8")

interface Citation {
  readonly file: string
  readonly title: string
}

/** `file` “title”; a bar is escaped in tables. */
const citations = (text: string): ReadonlyArray<Citation> =>
  Array.from(text.matchAll(/`([\w/.-]+\.ts)` “([^”]+)”/g), ([, file = "", title = ""]) => ({
    file,
    title: title.replaceAll("\\|", "|")
  }))

/** The first column of the tables under each heading. */
const rows = (text: string): Record<string, ReadonlyArray<string>> => {
  const sections = text.split(/^## /m).slice(1)
  return Object.fromEntries(
    sections.map((section) => {
      const lines = section.split("\n")
      const cells = lines
        .filter((line) => /^\| (?!row \|)/.test(line))
        .map((line) => line.split(" | ")[0]?.slice(2) ?? "")
      return [lines[0] ?? "", cells]
    })
  )
}

/** Titles stand in a test as texts of their own; a skipped one proves nothing. */
const isMissing = ({ file, title }: Citation): boolean => {
  const source = read(file)
  const stands = [`"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted))
  return !stands || /\b(?:it|test|describe)\.(?:skip|todo|fails)\b/.test(source)
}

describe("docs/coverage.md", () => {
  const text = read("docs/coverage.md")

  it("answers every row of the specification's tables", () => {
    expect(rows(text)).toEqual(ROWS)
    const unanswered = text.split("\n").filter((line) => /^\| (?!row \|)/.test(line) && citations(line).length === 0)
    expect(unanswered).toEqual([])
  })

  it("names tests that exist, by their titles", () => {
    expect(citations(text).length).toBeGreaterThan(60)
    expect(citations(text).filter(isMissing)).toEqual([])
  })
})

describe("docs/security.md", () => {
  const text = read("docs/security.md")

  it("answers every requirement of ASVS 5.0 V10.4 with met, not met or not applicable, and shows what is met", () => {
    const answers = Array.from(text.matchAll(/^\| 10\.4\.(\d+) \|.*$/gm))
    expect(answers.map(([, number]) => Number(number))).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
    const verdicts = answers.map(([line]) => ({
      line,
      verdict: line.split(" | ")[3] ?? "",
      cited: citations(line).length
    }))
    expect(verdicts.filter(({ verdict }) => !/^(?:met|not met|not applicable)\b/.test(verdict))).toEqual([])
    expect(verdicts.filter(({ cited, verdict }) => verdict.startsWith("met") && cited === 0)).toEqual([])
  })

  it("names tests that exist, by their titles", () => {
    expect(citations(text).length).toBeGreaterThan(30)
    expect(citations(text).filter(isMissing)).toEqual([])
  })
})
