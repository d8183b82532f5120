import type { Simulation } from "@place-access/domain/testing"
import { expect, it } from "vitest"
import { statesOf } from "../../src/simulate/timeline/states.js"

/**
 * The entries of a trace in which an app makes a rule, and the service then posts these events of the rule, one after
 * the other.
 */
const posting = (...events: ReadonlyArray<string>) =>
  [
    { kind: "begun", name: "call", actor: "app", args: { token: "at_1", request: { type: "enter" } } },
    { kind: "done", name: "call", op: 0, outcome: { _tag: "ok", value: { status: 201, body: { id: "rul_1" } } } },
    ...events.map((event) => ({ kind: "posted", body: { rule_id: "rul_1", event_id: event }, reply: 500 }))
  ].map((entry, i) => ({ ...entry, i, t: i })) as unknown as ReadonlyArray<Simulation.Entry>

it("an event that is posted again after a later event of its rule counts once", () => {
  const [rule] = statesOf(posting("evt_a", "evt_b", "evt_a"))
  expect(rule?.moments.at(-1)?.facts).toMatchObject({ Events: 2, "Newest event": "evt_b" })
})
