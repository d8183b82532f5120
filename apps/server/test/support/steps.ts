import type { Simulation } from "@place-access/domain/testing"

type Step = Simulation.Plan["steps"][number]

/** A step in which the first person shares the first place with the first app, and the app exchanges its code. */
export const consent = (over: Partial<Extract<Step, { readonly do: "consent" }>> = {}): Step => ({
  do: "consent",
  person: 0,
  app: 0,
  again: null,
  scopes: ["place.current", "rules.place", "latest.read"],
  unticked: [],
  places: [0],
  earlier: [],
  standardDays: null,
  sensitiveDays: 30,
  externalUserId: null,
  isExchanged: true,
  ...over
})

/** A step in which the app makes a rule for arrivals at a place. */
export const enterRule = (place: number): Step => ({
  do: "rule",
  connection: 0,
  target: "place",
  place,
  radiusM: 150,
  type: "enter",
  dwellMinutes: 5,
  fromMs: null,
  untilMs: null,
  maxEventAgeS: null,
  webhook: null
})
