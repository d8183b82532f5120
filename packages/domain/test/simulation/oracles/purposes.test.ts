import { describe, expect, it } from "vitest"
import type { Operation } from "../../../testing/simulation/Operations.js"
import { purposes } from "../../../testing/simulation/oracles/purposes.js"
import { ok, refused, seen, Story, unavailable } from "./handwritten.js"

const HOUR = 3_600_000
const judge = (story: Story) => seen(purposes, story.run())
const LATEST = { endpoint: "GET /v1/locations/latest" } as const
const LOOKUP = { endpoint: "GET /v1/locations/lookup", at: 0, toleranceS: 900 } as const
const SCOPES = ["location.latest.read", "location.lookup"]
const invalid = { error: "invalid_purpose" }

const connected = () => {
  const s = new Story()
  const one = s.connected({ scopes: SCOPES })
  const { access, appId } = one
  const purpose = (over: Partial<Operation<"createPurpose">["args"]> = {}) => {
    const purposeId = s.fresh("purpose")
    const description = "Finds the nearest shop"
    s.op(
      "createPurpose",
      { appId, key: "nearest", description, scopes: ["location.latest.read"], expectedDailyVolume: 10, ...over },
      ok({ purposeId })
    )
    return purposeId
  }
  const edit = (purposeId: string, status: string, over: Partial<Operation<"editPurpose">["args"]> = {}) =>
    s.op(
      "editPurpose",
      {
        appId,
        purposeId,
        description: "Finds the nearest café",
        scopes: ["location.lookup"],
        expectedDailyVolume: 10,
        ...over
      },
      ok({ status })
    )
  const approve = (purposeId: string) => s.op("decidePurpose", { purposeId, decision: "approve" }, ok(null))
  const submit = (purposeId: string) => s.op("submitPurpose", { appId, purposeId }, ok({ status: "in_review" }))
  const publish = () => {
    s.op("submitApp", { appId }, ok(null))
    s.op("decideApp", { appId, decision: "approve" }, ok(null))
  }
  const ask = (status: number, name = "nearest", request: typeof LATEST | typeof LOOKUP = LATEST) =>
    s.call(appId, access, status, request, { purpose: name, ...(status === 400 && invalid) })
  return { ...one, s, purpose, edit, approve, submit, publish, ask }
}

describe("P1: answered iff the purpose is known, covers the scope and is usable", () => {
  it("a draft in the sandbox, an approved one in production, none that is archived", () => {
    const { appId, approve, ask, publish, purpose, s, submit } = connected()
    const id = purpose()
    ask(200)
    ask(400, "unknown")
    ask(400, "nearest", LOOKUP)
    s.call(appId, "nobody's", 401, LATEST)
    submit(id)
    ask(200)
    publish()
    ask(400)
    approve(id)
    ask(200)
    s.op("archivePurpose", { appId, purposeId: id }, ok(null))
    ask(400)
    expect(judge(s)).toEqual({})
  })

  it("answered under an unknown key, another scope's, a draft in production, none; refused under a usable one", () => {
    const { access, appId, ask, publish, purpose, s } = connected()
    const unknown = ask(200, "unknown")
    purpose()
    const uncovered = ask(200, "nearest", LOOKUP)
    const shut = ask(400)
    publish()
    const draft = ask(200)
    const none = s.call(appId, access, 200, LATEST)
    expect(judge(s)["P1"]).toEqual([unknown, uncovered, shut, draft, none])
  })

  it("while it is being approved both answers are fine, and when nobody knows whether it was", () => {
    const { ask, publish, purpose, s, submit } = connected()
    const id = purpose()
    submit(id)
    publish()
    const begun = s.begin("decidePurpose", { purposeId: id, decision: "approve" })
    ask(200)
    ask(400)
    s.end(begun, "decidePurpose", unavailable)
    ask(200)
    ask(400)
    expect(judge(s)).toEqual({})
  })
})

describe("P2: else 400, and no location is read", () => {
  it("read for a refused call; refused as something else", () => {
    const { access, appId, s } = connected()
    const read = { kind: "port", port: "FixHistory", method: "latest", outcome: "ok" }
    s.call(appId, access, 400, LATEST, { ...invalid, between: [{ ...read, port: "PurposeStore", method: "list" }] })
    expect(judge(s)).toEqual({})
    const end = s.call(appId, access, 400, LATEST, { ...invalid, between: [read] })
    const other = s.call(appId, access, 404, LATEST)
    expect(judge(s)).toEqual({ P2: [other, end - 1] })
  })
})

describe("P3: an edit keeps the approved wording until it is decided", () => {
  it("the old scope works until then, the new one after", () => {
    const { approve, ask, edit, purpose, s, submit } = connected()
    const id = purpose()
    submit(id)
    approve(id)
    edit(id, "in_review")
    ask(200)
    ask(400, "nearest", LOOKUP)
    approve(id)
    ask(400)
    ask(200, "nearest", LOOKUP)
    expect(judge(s)).toEqual({})
  })

  it("the approved wording refused, the edit used, the edit approved by itself", () => {
    const { approve, ask, edit, purpose, s, submit } = connected()
    const id = purpose()
    submit(id)
    approve(id)
    edit(id, "in_review")
    const shut = ask(400)
    const early = ask(200, "nearest", LOOKUP)
    const self = edit(id, "approved", { description: "Something else entirely" })
    expect(judge(s)["P3"]).toEqual([shut, early, self])
  })
})

describe("P4: keys", () => {
  it("40 characters, another app's word, a refused repeat", () => {
    const { appId, purpose, s } = connected()
    purpose({ key: `a${"b".repeat(39)}` })
    purpose({ key: "abc" })
    s.op(
      "createPurpose",
      { appId, key: "abc", description: "Finds the shop", scopes: SCOPES, expectedDailyVolume: 1 },
      refused("conflict")
    )
    purpose({ key: "abc", appId: s.app(SCOPES) })
    expect(judge(s)).toEqual({})
  })

  it("41 characters, two, a capital, a repeat, a volume of 10,001, nine characters", () => {
    const { purpose, s } = connected()
    const made = (over: Parameters<typeof purpose>[0]) => {
      purpose(over)
      return s.entries.length - 1
    }
    const bad = [
      made({ key: `a${"b".repeat(40)}` }),
      made({ key: "ab" }),
      made({ key: "Abc" }),
      (purpose({ key: "abc" }), made({ key: "abc" })),
      made({ key: "volume", expectedDailyVolume: 10_001 }),
      made({ key: "short", description: "Nine char" })
    ]
    expect(judge(s)).toEqual({ P4: bad })
  })
})

describe("P5: over twice the volume: a flag, no refusal", () => {
  const busy = (calls: number, flagged: number | null) => {
    const story = connected()
    const { appId, connectionId, purpose, s } = story
    purpose({ expectedDailyVolume: 2 })
    s.add({ kind: "port", op: null, port: "VolumeFlagStore", method: "raise", outcome: "ok" }, "worker-1")
    for (let n = 0; n < calls; n++) story.ask(200)
    s.after(HOUR)
    const flag = { appId, connectionId, purpose: "nearest", flaggedAt: s.t, calls: flagged ?? 0 }
    s.after(HOUR)
    s.op("readFlags", {}, ok({ flags: flagged === null ? [] : [flag] }))
    return s
  }

  it("four of two are not flagged, five are", () => {
    expect(judge(busy(4, null))).toEqual({})
    expect(judge(busy(5, 5))).toEqual({})
  })

  it.each([
    [3, {}],
    [4, { P5: expect.any(Array) as unknown }]
  ])(
    "a call that took a day counts for no day, beside %i quick calls that began after it and one more",
    (quick, found) => {
      const { access, appId, ask, purpose, s } = connected()
      purpose({ expectedDailyVolume: 2 })
      s.add({ kind: "port", op: null, port: "VolumeFlagStore", method: "raise", outcome: "ok" }, "worker-1")
      const slow = s.begin("call", { appId, token: access, request: LATEST, purpose: "nearest" })
      s.after(23.5 * HOUR)
      for (let n = 0; n < quick; n++) ask(200)
      s.end(slow, "call", ok({ status: 200, error: null, body: {} }))
      ask(200)
      s.after(2 * HOUR)
      s.op("readFlags", {}, ok({ flags: [] }))
      expect(judge(s)).toEqual(found)
    }
  )

  it("four are flagged, five are not, a flag counts one too many", () => {
    expect(judge(busy(4, 4))).toHaveProperty("P5")
    expect(judge(busy(5, null))).toHaveProperty("P5")
    expect(judge(busy(5, 6))).toHaveProperty("P5")
  })
})
