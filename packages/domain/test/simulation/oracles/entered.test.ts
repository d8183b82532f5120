import { describe, expect, it } from "vitest"
import { disclosures } from "../../../testing/simulation/oracles/disclosures.js"
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
