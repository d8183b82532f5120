import { Effect, Option } from "effect"
import { TokenStore } from "../../../src/tokens/TokenStore.js"
import * as Check from "../../Check.js"
import type { Contract } from "../../Contract.js"
import * as Samples from "./connectionSamples.js"

/** What every `TokenStore` must guarantee for several changes of one connection at the same time. */
export const tokenRaces: Contract<Samples.ConnectionSamplePorts> = [
  {
    name: "change: changes of one connection queue up, none is lost",
    run: Effect.gen(function* () {
      const store = yield* TokenStore
      const { connection } = yield* Samples.connected()
      yield* Effect.all(
        Array.from({ length: 10 }, () =>
          store.change(connection.id, {}, ({ connection: before }) => ({
            outcome: undefined,
            writes: [{ _tag: "SetPlaces", places: before.places, placesVersion: before.placesVersion + 1 }]
          }))
        ),
        { concurrency: "unbounded" }
      )
      Check.equal((yield* Samples.read(connection)).placesVersion, connection.placesVersion + 10, "ten steps")
    })
  },
  {
    name: "change: of 16 parallel rotations of one token one is stored, and all others see it [§4.3, O6]",
    run: Effect.gen(function* () {
      const { connection } = yield* Samples.connected()
      const { chain, familyId } = yield* Samples.issue(connection, 1)
      const parent = chain[0] ?? Check.fail("a link")
      const offers = yield* Effect.all(
        Array.from({ length: 16 }, () =>
          Effect.all([
            Samples.refreshToken(connection, familyId),
            Samples.accessToken(connection, familyId),
            Samples.rotation
          ])
        )
      )
      const store = yield* TokenStore
      const seen = yield* Effect.forEach(
        offers,
        ([child, access, rotation]) =>
          store.change(connection.id, { refresh: parent.hash }, ({ chain: [presented, next] }) =>
            presented?.rotation === null
              ? {
                  outcome: child.hash,
                  writes: [
                    { _tag: "Rotate", hash: parent.hash, rotation },
                    { _tag: "IssueRefresh", token: child },
                    { _tag: "IssueAccess", token: access }
                  ]
                }
              : { outcome: next?.hash, writes: [] }
          ),
        { concurrency: "unbounded" }
      )
      const { chain: after } = yield* Samples.seen(connection.id, { refresh: parent.hash })
      const head = after[1] ?? Check.fail("the child")
      Check.equal(after.length, 2, "one child")
      Check.equal(after[0]?.rotation === null, false, "the parent is spent")
      Check.equal(
        seen.map(Option.getOrNull),
        offers.map(() => head.hash),
        "everybody gets the same head"
      )
      const issued = yield* Effect.forEach(offers, ([, { hash }]) => store.findByAccessToken(connection.id, hash))
      Check.equal(issued.filter(Option.isSome).length, 1, "one access token was issued with the rotation")
    })
  }
]
