import { Simulation } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Request } from "../../../testing/simulation/Operations.js"
import { disclosures } from "../../../testing/simulation/oracles/disclosures.js"
import { ENTER } from "../../support/ruleFields.js"
import { seen, Story } from "./handwritten.js"

const judge = (story: Story) =>
  seen(
    disclosures.filter(({ name }) => name === "A9"),
    story.run(false)
  )

const URL = "https://hooks.example/1"

const connected = () => {
  const s = new Story()
  const { access, appId, connectionId } = s.connected()
  const entry = (endpoint: string, id: string, outcome: "ok" | "failed" = "ok") =>
    ({
      kind: "port",
      op: null,
      port: "AccessLogStore",
      method: "record",
      outcome,
      args: { connectionId, endpoint, status: 200, id }
    }) as const
  const entered = (id: string, outcome: "ok" | "failed" = "ok") =>
    s.add(entry("webhook place.enter", id, outcome), "worker-1")
  const sent = (eventId: string, type = "place.enter") =>
    s.post(URL, { event_id: eventId, type, grant_id: connectionId })
  return { access, appId, entry, entered, s, sent }
}

describe("A9: what an app learns is entered before it leaves", () => {
  it("an entry before its answer, and one for each event before its first webhook; a retry needs no other, nor a tier's end", () => {
    const { access, appId, entered, entry, s, sent } = connected()
    const { op: _, ...within } = entry("GET /v1/visits", "log_1")
    s.call(appId, access, 200, undefined, { between: [within] })
    entered("log_2")
    sent("evt_1")
    sent("evt_1")
    entered("log_3")
    sent("evt_2")
    sent("evt_3", "sensitive.lapsed")
    expect(judge(s)).toEqual({})
  })

  it("an entry after its answer; a webhook without one, with that of another event, or with one that could not be written", () => {
    const late = connected()
    const call = late.s.call(late.appId, late.access, 200)
    const entry = late.s.add({ ...late.entry("GET /v1/visits", "log_1"), op: call - 1 }, "server-1")
    expect(judge(late.s)).toEqual({ A9: [entry] })

    const { entered, s, sent } = connected()
    const first = sent("evt_1")
    entered("log_1")
    const second = sent("evt_2")
    entered("log_2", "failed")
    const again = sent("evt_2")
    expect(judge(s)).toEqual({ A9: [first, second, again] })
  })
})

describe("A5: what an entry says", () => {
  const PRESENCE: Request = { endpoint: "GET /v1/answers/places/{place_id}/presence", placeId: "plc_1", maxAgeS: 900 }

  /**
   * Whether oracle A5 reports an entry of the access log. The app got the answer `state`, and `disclosed` is the text
   * that the entry says about it.
   */
  const isWrong = (state: "yes" | "no", label: string, disclosed: string): boolean => {
    const s = new Story()
    const { access, appId } = s.connected()
    const args = { endpoint: "GET /v1/answers", status: 200, disclosed }
    const entry = { kind: "port", port: "AccessLogStore", method: "record", outcome: "ok", args }
    s.call(appId, access, 200, PRESENCE, { between: [entry], body: { state, place: { label } } })
    const a5 = disclosures.filter(({ name }) => name === "A5")
    return "A5" in seen(a5, s.run(false))
  }

  it.each(["Home", "Why not? café", "not", "at", "Gate 12.345", "not known", "You were not at"])(
    "a label may be any text: %s",
    (label) => {
      expect(isWrong("yes", label, `You were at ${label}`)).toBe(false)
      expect(isWrong("no", label, `You were not at ${label}`)).toBe(false)
      expect(isWrong("yes", label, `You were not at ${label}`)).toBe(true)
      expect(isWrong("yes", label, `You were at ${label} (52.10001)`)).toBe(true)
      expect(isWrong("yes", label, "Somewhere")).toBe(true)
    }
  )
})

it.each(["Why not? café", "Gate 12.345", "none of these"])(
  "in a run, no oracle objects to a person's label or to times with fractions of milliseconds: %s",
  (label) => {
    const scopes = ["location.place.current", "location.rules.place", "location.latest.read"]
    const { stopped, violations } = Simulation.runSync({ seed: 1 }, (world) =>
      Effect.gen(function* () {
        const ana = yield* world.user("ana")
        const home = yield* ana.place({ label, lat: 52.1, lon: 5.1 })
        const phone = yield* ana.phone()
        const app = yield* world.app({ scopes })
        yield* app.endpoint("hook")
        const connection = yield* app.connect(ana, { scopes, places: [home] })
        yield* connection.call({ endpoint: "POST /v1/rules/place", placeId: home.id, ...ENTER })
        yield* phone.fix({ lat: 52.2, lon: 5.1, capturedAt: (yield* world.now) - 0.5 })
        yield* connection.call({ endpoint: "GET /v1/locations/latest" })
        yield* world.advance("5 minutes")
        yield* phone.at(home)
        yield* connection.call({ endpoint: "GET /v1/answers/current-place", maxAgeS: 900 })
        yield* connection.call({
          endpoint: "GET /v1/answers/places/{place_id}/presence",
          placeId: home.id,
          maxAgeS: 900
        })
        yield* world.advance("5 minutes")
      })
    )
    expect({ stopped, violations }).toEqual({ stopped: null, violations: [] })
  }
)
