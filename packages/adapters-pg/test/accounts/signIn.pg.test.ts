import { Argon2PasswordHasher, SqlAccountStore, SqlAuditLog } from "@place-access/adapters-pg"
import { Account, AccountStore, createAccount, PasswordHasher, Session, signIn } from "@place-access/domain/accounts"
import { Timestamp, Vault } from "@place-access/domain/shared"
import { Clock, Effect, Either, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migratedOn, withStores } from "../support/contracts.js"
import { describeServers } from "../support/postgres.js"

const password = Account.Password.make("correct horse battery")

describeServers("sign-in with argon2id, under the real clock", (server) => {
  const run = withStores(
    migratedOn(server),
    Layer.mergeAll(SqlAccountStore.layer, SqlAuditLog.layer, Argon2PasswordHasher.layer)
  )

  const tries = (count: number, attempt: string) =>
    Effect.gen(function* () {
      const email = Account.Email.make(`${randomBytes(6).toString("hex")}@example.com`)
      yield* createAccount({ email, password, roles: [] })
      const hasher = yield* PasswordHasher
      let looks = 0
      const counting = {
        ...hasher,
        verify: (hash: string, typed: string) => Effect.suspend(() => (looks++, hasher.verify(hash, typed)))
      }
      const outcomes = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => `198.51.100.${index}`),
        (address) => Effect.either(signIn({ email, password: attempt, address })),
        { concurrency: "unbounded" }
      ).pipe(Effect.provideService(PasswordHasher, counting))
      return { looks, outcomes: outcomes.map((one) => (Either.isRight(one) ? "SignedIn" : one.left._tag)) }
    }).pipe(Effect.withClock(Clock.make()))

  it("of forty wrong guesses at once, from forty addresses, five passwords are looked at", async () => {
    const { looks, outcomes } = await run(tries(40, "battery staple"))
    expect(looks).toBe(5)
    expect(outcomes.filter((outcome) => outcome === "WrongCredentials")).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome === "TooManyAttempts")).toHaveLength(35)
  })

  it("eight browsers that sign in at once with the right password all get in", async () => {
    const { outcomes } = await run(tries(8, password))
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => "SignedIn"))
  })

  it("thirty people who sign in at once, each from elsewhere, all get in and have a session", async () => {
    const outcomes = await run(
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        return yield* Effect.forEach(
          Array.from({ length: 30 }, (_, index) => index),
          (index) =>
            Effect.gen(function* () {
              const email = Account.Email.make(`${randomBytes(6).toString("hex")}@example.com`)
              const account = yield* createAccount({ email, password, roles: [] })
              yield* signIn({ email, password, address: `198.51.100.${index}` })
              yield* accounts.openSession(
                Session.open(Vault.Hash.make(randomBytes(32).toString("hex")), account.id, yield* Timestamp.now)
              )
              return "SignedIn"
            }).pipe(Effect.catchTag("StoreError", (error) => Effect.succeed(error.message))),
          { concurrency: "unbounded" }
        )
      }).pipe(Effect.withClock(Clock.make()))
    )
    expect(outcomes).toEqual(Array.from({ length: 30 }, () => "SignedIn"))
  })
})
