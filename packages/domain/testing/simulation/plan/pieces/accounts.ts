import { FastCheck } from "effect"
import { one } from "../deeds.js"
import { DAY, HOUR, MINUTE, SECOND } from "../edges.js"
import type { PlanStep } from "../Plan.js"
import { about, maybe, person, story, until, wait } from "./story.js"

const { integer } = FastCheck

const signIn = (person: number, password: "right" | "old" | "guess" = "right", address = 0): PlanStep => ({
  do: "sign in",
  person,
  password,
  address
})
const use = (person: number, back: number): PlanStep => ({ do: "use cookie", person, back })
const THIEF = 7

/**
 * A thief steals a cookie. The owner signs out, ends other sessions or changes the password, and then the thief uses
 * the cookie again.
 */
export const stolen = about(
  { person, remedy: one(["end other sessions", "change password", "sign out"]), back: integer({ min: 0, max: 1 }) },
  ({ back, person, remedy }) =>
    story(
      signIn(person),
      signIn(person, "right", 1),
      use(person, 1),
      maybe(wait([MINUTE, HOUR, DAY])),
      use(person, 1),
      remedy === "change password"
        ? { do: remedy, person, back, password: "right", address: 0 }
        : { do: remedy, person, back },
      use(person, 1),
      use(person, 0),
      maybe(signIn(person, "old", THIEF)),
      signIn(person, "right", 1),
      use(person, 0),
      use(person, 1)
    )
)

/**
 * Somebody uses a session around the end of its validity: first a session that was unused since the sign-in, then a
 * session that was used after some days.
 */
export const idle = about({ person, days: one([10, 13]) }, ({ days, person }) =>
  story(
    signIn(person),
    until("session idle", person, [-1, 0, 1, -HOUR, HOUR]),
    use(person, 0),
    signIn(person),
    wait([days * DAY]),
    use(person, 0),
    wait([days * DAY]),
    use(person, 0),
    until("session over", person, [-SECOND, 0, 1]),
    use(person, 0)
  )
)

/**
 * A thief guesses the password four to six times; the limit is five. Once the limit is reached, the service refuses
 * even the right password until 15 minutes after the first guess.
 */
export const guesses = about({ person, times: integer({ min: 4, max: 6 }) }, ({ person, times }) =>
  story(
    signIn(person),
    ...Array.from({ length: times }, () => signIn(person, "guess", THIEF)),
    signIn(person, "right", 1),
    use(person, 0),
    until("guesses forgotten", person, [-MINUTE, 0, 1, SECOND]),
    signIn(person),
    use(person, 0)
  )
)
