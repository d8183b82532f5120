import { KeyCanary, Migrator, NodeVault } from "@place-access/adapters-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { Check, type Contract } from "@place-access/domain/testing"
import { Effect, Either, Redacted } from "effect"
import { storeSealedEndpoint } from "./sealedEndpoint.js"

const key = (id: string): string => Redacted.value(NodeVault.generateKey(id))

/** Runs an effect with these keys, newest first. The newest key seals new values. */
const under = (...keys: ReadonlyArray<string>) =>
  Effect.provide(NodeVault.layer(Either.getOrThrow(NodeVault.parseKeys(keys.join(",")))))

/**
 * What a server or worker does at its start: checks that its keys can open the canary (a sealed sample value), and
 * stores a canary of its newest key, unless there is one.
 */
const start = Effect.zipRight(KeyCanary.check(), KeyCanary.keep())

const canaries = Effect.flatMap(SqlClient, (sql) => sql`SELECT name, sealed FROM key_canaries`)

const empty = Effect.flatMap(SqlClient, (sql) => sql`TRUNCATE key_canaries, endpoints`)

const refused = (keyId: string) =>
  Effect.gen(function* () {
    const before = yield* canaries
    Check.equal(yield* Effect.flip(KeyCanary.check()), new KeyCanary.WrongKeys({ keyId }), "the look before migrations")
    Check.equal(yield* Effect.flip(KeyCanary.keep()), new KeyCanary.WrongKeys({ keyId }), "the look after migrations")
    Check.equal(yield* canaries, before, "what is stored")
  })

/** Stores an endpoint as an earlier version of the service did, which stored no key canaries. */
const endpoint = storeSealedEndpoint()

const [k1, k2] = [key("k1"), key("k2")]
const otherK1 = key("k1")

export const keyCanaryContract: Contract<SqlClient> = [
  {
    name: "the first start leaves a canary; the same keys open it at every later one and write nothing",
    run: Effect.gen(function* () {
      yield* empty
      yield* start.pipe(under(k1))
      const first = yield* canaries
      Check.equal(first.length, 1, "canaries")
      yield* start.pipe(under(k1))
      Check.equal(yield* canaries, first, "what is stored")
    })
  },
  {
    name: "another key of the same name is refused, and one of another name; nothing is written",
    run: Effect.gen(function* () {
      yield* empty
      yield* start.pipe(under(k1))
      yield* refused("k1").pipe(under(otherK1))
      yield* refused("k1").pipe(under(k2))
      yield* refused("k1").pipe(under(k2, otherK1))
    })
  },
  {
    name: "a new key in front of the old one seals the canary anew: from then on the new one is needed, the old one alone does not do",
    run: Effect.gen(function* () {
      yield* empty
      yield* start.pipe(under(k1))
      yield* start.pipe(under(k2, k1))
      yield* start.pipe(under(k2))
      yield* refused("k2").pipe(under(k1))
      // An operator undoes a rotation: the old key is the newest key again. From then on the old key alone is enough.
      yield* start.pipe(under(k1, k2))
      yield* start.pipe(under(k1))
    })
  },
  {
    name: "a command leaves the canary as it is when its newest key is another one, and makes the first canary",
    run: Effect.gen(function* () {
      yield* empty
      yield* KeyCanary.keep(true).pipe(under(k1))
      const first = yield* canaries
      Check.equal(first.length, 1, "canaries")
      yield* KeyCanary.keep(true).pipe(under(k2, k1))
      Check.equal(yield* canaries, first, "what is stored")
    })
  },
  {
    name: "a database from before there were canaries: keys that cannot open its newest signing secret are refused",
    run: Effect.gen(function* () {
      yield* empty
      yield* endpoint.pipe(under(k1))
      const error = yield* Effect.flip(KeyCanary.check()).pipe(under(k2, otherK1))
      Check.equal(error, new KeyCanary.WrongKeys({ keyId: "k1" }), "another key of that name")
      yield* start.pipe(under(k2, k1))
      yield* refused("k2").pipe(under(k1))
    })
  },
  {
    name: "keys are lost and the canary is deleted: a new key is accepted with an id that no stored secret has, and refused with an old id",
    run: Effect.gen(function* () {
      yield* empty
      yield* endpoint.pipe(under(k1))
      yield* start.pipe(under(k1))
      yield* Effect.flatMap(SqlClient, (sql) => sql`DELETE FROM key_canaries`)
      const error = yield* Effect.flip(start).pipe(under(otherK1))
      Check.equal(error, new KeyCanary.WrongKeys({ keyId: "k1" }), "a new key with the old id")
      Check.equal(yield* canaries, [], "what is stored")
      yield* start.pipe(under(k2))
      yield* refused("k2").pipe(under(otherK1))
    })
  },
  {
    name: "of programs that start at once with different keys one leaves its canary, and those with other keys are refused",
    run: Effect.gen(function* () {
      yield* empty
      const ends = yield* Effect.all(
        [k1, otherK1, k2, k1, otherK1, k2].map((one) => Effect.either(start.pipe(under(one)))),
        { concurrency: "unbounded" }
      )
      Check.equal(ends.filter(Either.isRight).length, 2, "programs that start")
      Check.equal((yield* canaries).length, 1, "canaries")
    })
  }
]

/** Cases for a database without tables. */
export const keyCanaryOnEmpty: Contract<SqlClient> = [
  {
    name: "an empty database takes any keys, before it has a table",
    run: Effect.gen(function* () {
      yield* KeyCanary.check().pipe(under(k1))
      yield* Migrator.migrate
      yield* start.pipe(under(k1))
      yield* refused("k1").pipe(under(k2))
    })
  }
]
