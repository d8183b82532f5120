import { Simulation } from "@place-access/domain/testing"
import { describe, expect, it } from "vitest"
import { plants } from "../../../../packages/domain/test/simulation/plants/all.js"
import { planted } from "../../../../packages/domain/test/simulation/plants/plant.js"
import { all } from "../../../../packages/domain/testing/simulation/oracles/index.js"
import { explanationOf } from "../../src/simulate/timeline/causes.js"

/** Runs the first planted fault of the oracle, and explains the violation. */
const explained = (oracle: string) => {
  const plant = plants.find((one) => one.oracle === oracle)
  if (plant === undefined) throw new Error(`no plant of ${oracle}`)
  const base = { seed: 1, worker: { pollEvery: "10 minutes" }, oracles: all, ...plant.config } as const
  const { entries, violations } = Simulation.runSync({ ...base, ...planted(plant) }, plant.scenario)
  const violation = violations.find(({ invariant }) => invariant === oracle)
  if (violation === undefined) throw new Error(`${oracle} saw nothing`)
  const { about, led } = explanationOf(entries, violation)
  return { entries, violation, led, kind: about?.replace(/_.*/, ""), names: led.map((i) => nameOf(entries[i]!)) }
}

const nameOf = (entry: Simulation.Entry): string => {
  if (entry.kind === "port") return entry.method
  if (entry.kind !== "begun") return entry.kind
  return entry.name === "call" ? entry.args.request.endpoint : entry.name
}

const RULE = ["createPlace", "createEndpoint", "consent", "exchange", "POST /v1/rules/place"]

describe("what led to a broken rule", () => {
  it.each([
    ["T8", "con", ["consent", "exchange", "revoke", "GET /v1/me"]],
    ["T10", "con", ["consent", "exchange", "consent", "GET /v1/me"]],
    ["R4", "rul", [...RULE, "upload", "upload", "upload", "upload", "posted"]],
    ["R7", "dlv", [...RULE, "upload", "upload", "removeRuleOfUser", "upload", "insertAttempted", "readDeliveries"]],
    ["D1", "dlv", [...RULE, "upload", "upload", "posted", "insertAttempted", "claim", "posted", "finish"]],
    ["E1", "con", ["createPlace", "consent", "exchange", "upload", "upload", "eraseHistory"]],
    ["G1", "con", ["createPlace", "consent", "exchange", "upload", "pauseConnection"]],
    ["H6", undefined, Array.from({ length: 6 }, () => "createEndpoint")],
    ["U1", undefined, ["signIn", "signOut", "useCookie"]],
    ["M1", undefined, ["mailed", "mailed"]]
  ] as const)("%s: the page opens on the state of its %s, with %j", (oracle, kind, expected) => {
    const { kind: found, names } = explained(oracle)
    expect(found).toBe(kind)
    expect(names.slice(0, expected.length)).toEqual(expected)
  })

  it("a fault that struck a program at its work is among it", () => {
    const { entries, led } = explained("no defects")
    expect(led.map((i) => entries[i]).filter((entry) => entry?.kind === "fault")).toEqual([
      expect.objectContaining({ fault: "keys.rotate" })
    ])
  })

  it.each(["T1", "S2", "R1", "R10", "W1", "C1", "V1", "H1", "D7", "Y4", "A1", "Q1", "B1", "U3"])(
    "%s: it is in order, ends where the rule breaks, and is less than a third of the run",
    (oracle) => {
      const { entries, led, violation } = explained(oracle)
      expect(led).toEqual([...new Set(led)].sort((a, b) => a - b))
      const last = entries[led.at(-1) ?? -1]
      const broken = entries[violation.at]
      expect([last?.i, last?.i]).toContain(broken !== undefined && "op" in broken ? (broken.op ?? broken.i) : broken?.i)
      expect(led.length).toBeLessThan(entries.length / 3)
    }
  )
})
