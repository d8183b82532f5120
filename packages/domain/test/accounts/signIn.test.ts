import {
  Account,
  AccountStore,
  authenticateSession,
  checkFormToken,
  createAccount,
  formToken,
  PasswordHasher,
  Session,
  signIn,
  SignInThrottle,
  signOut,
  signUp
} from "@place-access/domain/accounts"
import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryDatabase,
  MemoryEntropy,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { AppId, StoreError, Timestamp } from "@place-access/domain/shared"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, Option, TestClock } from "effect"

const ground = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryEntropy.layer,
  MemoryVault.layer
).pipe(Layer.provideMerge(MemoryDatabase.layer))
const stores = Layer.merge(ground, MemoryPasswordHasher.layer)

/** Each check of a password takes 60 ms, as in production. */
const slowHasher = Layer.effect(
  PasswordHasher,
  Effect.map(PasswordHasher, (quick) => ({
    hash: quick.hash,
    common: quick.common,
    verify: (hash: string, password: string) => Effect.delay(quick.verify(hash, password), "60 millis"),
    waste: () => Effect.sleep("60 millis")
  }))
).pipe(Layer.provide(MemoryPasswordHasher.layer))
const slowStores = Layer.merge(ground, slowHasher)

const email = Account.Email.make("ada@example.com")
const password = Account.Password.make("correct horse")
const ada = createAccount({ email, password, roles: [] })
const address = "203.0.113.7"
const right = { email, password, address }
const wrong = { ...right, password: "battery staple" }

const tagOf = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.either(program), (outcome) => (Either.isLeft(outcome) ? outcome.left._tag : "SignedIn"))

describe("sign-up", () => {
  it.effect("open: makes a plain user, who can sign in [A1]", () =>
    Effect.gen(function* () {
      const account = yield* signUp({ email, password, displayName: Account.DisplayName.make("Ada") }, "open")
      expect(account).toMatchObject({ email, displayName: "Ada", roles: [] })
      expect((yield* signIn(right)).account).toEqual(account)
    }).pipe(Effect.provide(stores))
  )

  it.effect("closed: refused before any work, and nobody is made", () =>
    Effect.gen(function* () {
      const outcome = yield* Effect.flip(signUp({ email, password }, "closed"))
      expect(outcome._tag).toBe("Forbidden")
      expect((yield* MemoryDatabase).accounts.size).toBe(0)
    }).pipe(
      Effect.provide(stores),
      Effect.provideService(PasswordHasher, {
        hash: () => Effect.die("worked"),
        verify: () => Effect.die("worked"),
        waste: () => Effect.die("worked"),
        common: Effect.die("worked")
      })
    )
  )

  it.effect("a taken e-mail is a Conflict, in whatever case it is typed [accounts-1]", () =>
    Effect.gen(function* () {
      yield* ada
      const outcome = yield* Effect.flip(signUp({ email, password }, "open"))
      expect(outcome._tag).toBe("Conflict")
    }).pipe(Effect.provide(stores))
  )

  it.effect("an operator gives roles from the start, while sign-up is closed too [A4]", () =>
    Effect.gen(function* () {
      const account = yield* createAccount({ email, password, roles: ["admin", "developer", "admin"] })
      expect(account.roles).toEqual(["developer", "admin"])
    }).pipe(Effect.provide(stores))
  )

  it.effect("the password is nowhere in what is stored", () =>
    Effect.gen(function* () {
      yield* ada
      yield* signIn(right)
      expect(JSON.stringify([...(yield* MemoryDatabase).accounts])).not.toContain(password)
    }).pipe(Effect.provide(stores))
  )
})

describe("sign-in", () => {
  it.effect("the session's cookie is opaque, new each time, and only its SHA-256 is stored [A2]", () =>
    Effect.gen(function* () {
      yield* ada
      const [one, two] = [yield* signIn(right), yield* signIn(right)]
      expect(one.cookie).toMatch(/^[0-9a-z]{52}$/)
      expect(one.cookie).not.toBe(two.cookie)
      const { sessions } = yield* MemoryDatabase
      expect([...sessions.keys()]).toEqual(
        expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
      )
      expect(JSON.stringify([...sessions])).not.toContain(one.cookie)
      expect(one.expiresAt).toBe(Session.LIFETIME)
    }).pipe(Effect.provide(stores))
  )

  it.effect.each([
    ["a test person", { testOf: AppId.make("app_1") }],
    ["the account that replaces deleted accounts", { id: Account.NOBODY_ID }]
  ] as const)("nobody signs in as %s, and a session of it does not count [test-people-1]", ([, changed]) =>
    Effect.gen(function* () {
      const { id } = yield* createAccount({ email, password, roles: ["admin"] })
      const { cookie } = yield* signIn(right)
      const { accounts } = yield* MemoryDatabase
      const stored = Option.getOrThrow(Option.fromNullable(accounts.get(id)))
      accounts.set(id, { ...stored, account: { ...stored.account, ...changed } })
      expect(yield* authenticateSession(cookie)).toEqual(Option.none())
      expect(yield* tagOf(signIn(right))).toBe("WrongCredentials")
    }).pipe(Effect.provide(stores))
  )

  it.effect("session: works for 14 days after its last use and not a millisecond longer [accounts-6]", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const [one, other] = [yield* signIn(right), yield* signIn(right)]
      yield* TestClock.adjust(Session.LIFETIME - 1)
      expect(yield* authenticateSession(one.cookie)).toEqual(Option.some(account))
      yield* TestClock.adjust(1)
      expect(yield* authenticateSession(other.cookie)).toEqual(Option.none())
      expect(yield* authenticateSession(one.cookie)).toEqual(Option.some(account))
    }).pipe(Effect.provide(stores))
  )

  it.effect("session: it ends, also when it is used, 30 days after the sign-in, to the millisecond [accounts-6]", () =>
    Effect.gen(function* () {
      yield* ada
      const { cookie } = yield* signIn(right)
      for (let day = 0; day < 29; day++) {
        yield* TestClock.adjust(Timestamp.DAY)
        expect(Option.isSome(yield* authenticateSession(cookie))).toBe(true)
      }
      yield* TestClock.adjust(Timestamp.DAY - 1)
      expect(Option.isSome(yield* authenticateSession(cookie))).toBe(true)
      yield* TestClock.adjust(1)
      expect(yield* authenticateSession(cookie)).toEqual(Option.none())
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "session: a use within the hour writes nothing; when a renewal fails, the session counts [accounts-6]",
    () =>
      Effect.gen(function* () {
        const account = yield* ada
        const { cookie } = yield* signIn(right)
        const accounts = yield* AccountStore
        const written: Array<number> = []
        const failing = {
          ...accounts,
          renewSession: ({ seenAt }: Session.Session) => {
            written.push(seenAt)
            return StoreError.unavailable("lost")
          }
        }
        const look = Effect.provideService(authenticateSession(cookie), AccountStore, failing)
        yield* TestClock.adjust(Timestamp.HOUR - 1)
        expect(yield* look).toEqual(Option.some(account))
        expect(written).toEqual([])
        yield* TestClock.adjust(1)
        expect(yield* look).toEqual(Option.some(account))
        expect(written).toEqual([Timestamp.HOUR])
      }).pipe(Effect.provide(stores))
  )

  it.effect("sign-out ends the session on the server, and no other; it can be repeated [accounts-6]", () =>
    Effect.gen(function* () {
      yield* ada
      const [one, two] = [yield* signIn(right), yield* signIn(right)]
      yield* signOut(one.cookie)
      yield* signOut(one.cookie)
      yield* signOut("rubbish")
      expect(yield* authenticateSession(one.cookie)).toEqual(Option.none())
      expect(Option.isSome(yield* authenticateSession(two.cookie))).toBe(true)
    }).pipe(Effect.provide(stores))
  )

  it.effect.each([
    "",
    "rubbish",
    "x".repeat(52).toUpperCase(),
    "x".repeat(51),
    "x".repeat(53),
    "x".repeat(51) + "\u0000"
  ])("a cookie that is none of ours is looked up nowhere: %j", (cookie) =>
    Effect.gen(function* () {
      const accounts = { ...(yield* AccountStore), findSession: () => Effect.die("looked up") }
      const found = yield* Effect.provideService(authenticateSession(cookie), AccountStore, accounts)
      expect(found).toEqual(Option.none())
    }).pipe(Effect.provide(stores))
  )

  it.effect("unknown e-mail and wrong password: the same answer after the same work [A2, accounts-4]", () =>
    Effect.gen(function* () {
      yield* ada
      const work: Array<string> = []
      const accounts = yield* AccountStore
      const watched = AccountStore.of({
        ...accounts,
        admitTry: (tried, decide) => Effect.tap(accounts.admitTry(tried, decide), () => work.push("admit")),
        findByEmail: (typedEmail) => Effect.tap(accounts.findByEmail(typedEmail), () => work.push("find")),
        failTry: (id) => Effect.tap(accounts.failTry(id), () => work.push("fail"))
      })
      const hasher = {
        hash: () => Effect.die("hashed"),
        verify: (_: string, typed: string) => Effect.sync(() => work.push(`argon2 of ${typed}`) < 0),
        waste: (typed: string) => Effect.sync(() => void work.push(`argon2 of ${typed}`)),
        common: Effect.die("looked up")
      }
      const run = (input: typeof wrong) =>
        Effect.flip(signIn(input)).pipe(
          Effect.provideService(AccountStore, watched),
          Effect.provideService(PasswordHasher, hasher)
        )
      const first = yield* run(wrong)
      const known = work.splice(0)
      const second = yield* run({ ...wrong, email: Account.Email.make("nobody@example.com") })
      expect(second).toEqual(first)
      expect(first._tag).toBe("WrongCredentials")
      expect(work).toEqual(known)
      expect(known).toEqual(["admit", "find", `argon2 of ${wrong.password}`, "fail"])
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "five wrong passwords shut even the right one out, with the time to wait, and no password is looked at",
    () =>
      Effect.gen(function* () {
        yield* ada
        for (let count = 0; count < 5; count++) {
          expect(yield* tagOf(signIn(wrong))).toBe("WrongCredentials")
          yield* TestClock.adjust("1 seconds")
        }
        const refused = yield* Effect.flip(
          Effect.provideService(signIn(right), PasswordHasher, {
            hash: () => Effect.die("looked at"),
            verify: () => Effect.die("looked at"),
            waste: () => Effect.die("looked at"),
            common: Effect.die("looked at")
          })
        )
        expect(refused).toMatchObject({ _tag: "TooManyAttempts", retryAfterMillis: SignInThrottle.WINDOW - 5_000 })
        yield* TestClock.adjust(SignInThrottle.WINDOW - 5_001)
        expect(yield* tagOf(signIn(right))).toBe("TooManyAttempts")
        yield* TestClock.adjust(1)
        expect(yield* tagOf(signIn(right))).toBe("SignedIn")
      }).pipe(Effect.provide(stores))
  )

  it.effect("an e-mail that nobody has is shut out like one that somebody has", () =>
    Effect.gen(function* () {
      const nobody = { ...wrong, email: Account.Email.make("nobody@example.com") }
      for (let count = 0; count < 5; count++) expect(yield* tagOf(signIn(nobody))).toBe("WrongCredentials")
      expect(yield* tagOf(signIn(nobody))).toBe("TooManyAttempts")
    }).pipe(Effect.provide(stores))
  )

  it.effect("fifty failures of one address shut it out for every account; an IPv6 network counts as one", () =>
    Effect.gen(function* () {
      yield* ada
      for (let count = 0; count < 50; count++) {
        const guess = {
          email: Account.Email.make(`guess${count}@example.com`),
          password: "guess",
          address: `2001:db8:1:2::${count.toString(16)}`
        }
        expect(yield* tagOf(signIn(guess))).toBe("WrongCredentials")
      }
      expect(yield* tagOf(signIn({ ...right, address: "2001:db8:1:2:ffff::1" }))).toBe("TooManyAttempts")
      expect(yield* tagOf(signIn({ ...right, address: "2001:db8:1:3::1" }))).toBe("SignedIn")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a success forgets the account's failures, not the address's", () =>
    Effect.gen(function* () {
      yield* ada
      for (let round = 0; round < 12; round++) {
        for (let count = 0; count < 4; count++) expect(yield* tagOf(signIn(wrong))).toBe("WrongCredentials")
        expect(yield* tagOf(signIn(right))).toBe("SignedIn")
      }
      for (let count = 0; count < 2; count++) expect(yield* tagOf(signIn(wrong))).toBe("WrongCredentials")
      // The network address now has 48 + 2 failures, which is the limit of a network address.
      expect(yield* tagOf(signIn(right))).toBe("TooManyAttempts")
      expect(yield* tagOf(signIn({ ...right, address: "198.51.100.1" }))).toBe("SignedIn")
    }).pipe(Effect.provide(stores))
  )

  it.effect("thirty guesses at once: five passwords are looked at, and the account is shut [accounts-5]", () =>
    Effect.gen(function* () {
      yield* ada
      let looks = 0
      const quick = yield* PasswordHasher
      const counting = {
        ...quick,
        verify: (hash: string, guess: string) =>
          Effect.suspend(() => {
            looks++
            return Effect.delay(quick.verify(hash, guess), "60 millis")
          })
      }
      const guesses = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 30 }, (_, index) => tagOf(signIn({ ...wrong, address: `198.51.100.${index}` }))),
          { concurrency: "unbounded" }
        ).pipe(Effect.provideService(PasswordHasher, counting))
      )
      yield* TestClock.adjust("10 seconds")
      const outcomes = yield* Fiber.join(guesses)
      expect(looks).toBe(5)
      expect(outcomes.filter((outcome) => outcome === "WrongCredentials")).toHaveLength(5)
      expect(outcomes.filter((outcome) => outcome === "TooManyAttempts")).toHaveLength(25)
    }).pipe(Effect.provide(stores))
  )

  it.effect("ten browsers of one person signing in at once all get in [accounts-5]", () =>
    Effect.gen(function* () {
      yield* ada
      const all = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 10 }, () => tagOf(signIn(right))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("10 seconds")
      expect(new Set(yield* Fiber.join(all))).toEqual(new Set(["SignedIn"]))
    }).pipe(Effect.provide(slowStores))
  )

  it.effect("who hangs up while the password is looked at has made the try all the same [accounts-5]", () =>
    Effect.gen(function* () {
      yield* ada
      for (let count = 0; count < 5; count++) {
        const fiber = yield* Effect.fork(signIn(wrong))
        yield* TestClock.adjust("10 millis")
        const ending = yield* Effect.fork(Fiber.interrupt(fiber))
        yield* TestClock.adjust("60 millis")
        yield* Fiber.join(ending)
      }
      expect(yield* tagOf(signIn(right))).toBe("TooManyAttempts")
    }).pipe(Effect.provide(slowStores))
  )
})

describe("form token [A3]", () => {
  const cookie = "c".repeat(52)
  const other = "d".repeat(52)
  const under = (keys: readonly [string, ...ReadonlyArray<string>]) => Effect.provide(MemoryVault.layerKeys(keys))

  it.effect("is good for its session and its form only", () =>
    Effect.gen(function* () {
      const token = yield* formToken(cookie, "crq_1")
      expect(yield* checkFormToken(cookie, token, "crq_1")).toBe(true)
      expect(yield* checkFormToken(other, token, "crq_1")).toBe(false)
      expect(yield* checkFormToken(cookie, token, "crq_2")).toBe(false)
      expect(yield* checkFormToken(cookie, token)).toBe(false)
      expect(yield* checkFormToken(cookie, yield* formToken(cookie), "crq_1")).toBe(false)
      expect(token).not.toContain(cookie)
    }).pipe(Effect.provide(MemoryVault.layer))
  )

  it.effect("an altered, cut or empty token is refused", () =>
    Effect.gen(function* () {
      const token = yield* formToken(cookie)
      const last = token.endsWith("A") ? "B" : "A"
      for (const bad of [
        "",
        ".",
        token.slice(0, -1),
        token.slice(0, -1) + last,
        `x${token}`,
        token.split(".")[1] ?? ""
      ]) {
        expect(yield* checkFormToken(cookie, bad)).toBe(false)
      }
    }).pipe(Effect.provide(MemoryVault.layer))
  )

  it.effect("survives a key rotation as long as the older key is known", () =>
    Effect.gen(function* () {
      const token = yield* under(["k1"])(formToken(cookie))
      expect(yield* under(["k2", "k1"])(checkFormToken(cookie, token))).toBe(true)
      expect(yield* under(["k2"])(checkFormToken(cookie, token))).toBe(false)
    })
  )
})
