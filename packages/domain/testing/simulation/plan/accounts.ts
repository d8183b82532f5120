import { Effect } from "effect"
import { at, back, type Cast, done, type Person, type Took } from "./Cast.js"
import type { Deed } from "./Plan.js"

type AccountStep = Extract<
  Deed,
  { readonly do: "sign in" | "use cookie" | "sign out" | "end other sessions" | "change password" }
>

const NOTHING = Effect.succeed(false)

/** An IP address from the network that RFC 5737 reserves for documentation. */
const address = (index: number): string => `192.0.2.${1 + (Math.abs(index) % 200)}`

const numberOf = ({ password }: Person, kind: "right" | "old" | "guess"): number =>
  kind === "right" ? password : kind === "old" ? password - 1 : -1

/** Performs a step about an account. Even if a thief uses a cookie, the trace names the cookie's owner as the actor. */
export const act = (cast: Cast, step: AccountStep): Took => {
  const person = at(cast.people, step.person)
  if (person === undefined) return NOTHING
  if (step.do === "sign in") return Effect.as(signIn(cast, person, step), true)
  const cookie = back(person.cookies, step.back)
  if (cookie === undefined) return NOTHING
  switch (step.do) {
    case "use cookie":
      return Effect.gen(function* () {
        const used = yield* done(cast, "useCookie", { cookie }, person.name)
        if (typeof used?.userId === "string") person.lastUseAt = yield* cast.world.now
        return true
      })
    case "sign out":
      return Effect.as(done(cast, "signOut", { cookie }, person.name), true)
    case "end other sessions":
      return Effect.as(done(cast, "endOtherSessions", { cookie }, person.name), true)
    case "change password":
      return Effect.gen(function* () {
        const next = ++person.newestPassword
        const args = { cookie, password: numberOf(person, step.password), next, address: address(step.address) }
        const changed = yield* done(cast, "changePassword", args, person.name)
        if (changed === undefined) return true
        person.password = next
        // The old cookie stays in the list, because a thief may still use this cookie.
        if (changed.cookie !== null) person.cookies.push(changed.cookie)
        return true
      })
  }
}

const signIn = (cast: Cast, person: Person, step: Extract<AccountStep, { readonly do: "sign in" }>) =>
  Effect.gen(function* () {
    const args = { userId: person.id, password: numberOf(person, step.password), address: address(step.address) }
    const signedIn = yield* done(cast, "signIn", args, person.name)
    const now = yield* cast.world.now
    if (signedIn === undefined) person.lastGuessAt = now
    else {
      person.cookies.push(signedIn.cookie)
      person.signedInAt = person.lastUseAt = now
    }
  })
