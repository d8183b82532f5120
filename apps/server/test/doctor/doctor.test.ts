import { MemoryVault } from "@place-access/domain/testing"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Check from "../../src/doctor/Check.js"
import * as clock from "../../src/doctor/clock.js"
import * as disk from "../../src/doctor/disk.js"
import { adviceFor, summary } from "../../src/operator/keys.js"

describe("what the doctor says [settings-1]", () => {
  it("a clock that is off, at the edges", () => {
    const states = [0, 1_999, -1_999, 2_000, -29_999, 30_000, -40_000].map((off) => clock.judged("it", off).state)
    expect(states).toEqual(["ok", "ok", "ok", "warning", "warning", "problem", "problem"])
  })

  it("a disk that is full, at the edges", () => {
    const states = [0, 199, 200, 2_047, 2_048].map((free) => disk.judged(free, "./data").state)
    expect(states).toEqual(["problem", "problem", "warning", "warning", "ok"])
  })

  it("a folder that is not there yet is judged by the folder around it", async () => {
    expect((await Effect.runPromise(disk.disk("/tmp/nothing-is-here-yet"))).check).toBe("disk")
  })

  it("each warning and problem says what to do, in lines that a person reads", () => {
    const findings = [Check.ok("mail", "fine"), Check.problem("disk", "full", "Make room.")]
    expect(Check.lines(findings)).toEqual(["ok      mail: fine", "PROBLEM disk: full", "        Make room."])
  })
})

describe("the status of the keys [settings-1]", () => {
  const status = (used: Parameters<typeof summary>[0]) =>
    Effect.runSync(Effect.provide(summary(used), MemoryVault.layerKeys(["k3", "k2", "k1"])))

  it("an older key may go when nothing needs it, and a key that is needed and not given must come back", () => {
    const keys = status([
      { keyId: "k3", where: "endpoints.secrets", count: 2 },
      { keyId: "k1", where: "endpoints.secrets", count: 1 },
      { keyId: "k1", where: "rules.own_secret", count: 4 },
      { keyId: "k0", where: "mail_outbox.link_secret", count: 1 }
    ])
    expect(keys.map(({ count, id, state }) => [id, state, count])).toEqual([
      ["k3", "current", 2],
      ["k2", "older", 0],
      ["k1", "older", 5],
      ["k0", "absent", 1]
    ])
    const advice = keys.map((key) => adviceFor(key)?.slice(0, 12) ?? null)
    expect(advice).toEqual([null, "It can go: n", "It must stay", "Put the key "])
  })
})
