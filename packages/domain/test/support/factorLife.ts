import {
  Account,
  AccountStore,
  authenticateSession,
  isFreshSession,
  PasswordHasher,
  signIn
} from "@place-access/domain/accounts"
import { changePassword } from "@place-access/domain/credentials"
import {
  addPasskey,
  beginCodeApp,
  confirmCodeApp,
  confirmSession,
  Factors,
  finishSignIn,
  issueChallenge,
  OneTimeCode,
  removeCodeApp,
  removePasskey,
  replaceRecoveryCodes,
  signInWithPasskey
} from "@place-access/domain/factors"
import { MemoryAuthenticators } from "@place-access/domain/testing"
import { Entropy, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Effect, Either, FastCheck as fc, Option, TestClock } from "effect"
import { expect } from "vitest"

/**
 * Generates random scenarios of two accounts with second factors, and runs them against any stores. Compares each
 * result with a second implementation of the guarantees:
 *
 * - There is no session after the password and before the second factor.
 * - Each code, each recovery code and each challenge counts only once.
 * - A pending sign-in ends after ten minutes, or earlier when the password changes.
 * - A passkey works for its own account only.
 * - A session is fresh for 15 minutes after it was opened or confirmed.
 * - A confirmation replaces the cookie with which it was sent.
 */

const { MINUTE } = Timestamp
const PENDING = 10 * MINUTE
const CHALLENGE = 5 * MINUTE
const FRESH = 15 * MINUTE
const PASSWORDS = ["correct horse battery", "purple monkey dishwasher"].map((text) => Account.Password.make(text))

export type FactorStep =
  | { readonly _tag: "Password" }
  /**
   * `which` chooses the code: the code of the present time step (`now`), of the next step (`next`) or of the step after
   * that (`far`), the last accepted code (`again`), or a wrong code. `times` browsers send the code at the same time.
   */
  | { readonly _tag: "Code"; readonly which: "now" | "next" | "far" | "again" | "wrong"; readonly times: number }
  | { readonly _tag: "Recovery"; readonly code: number; readonly times: number }
  | { readonly _tag: "Passkey"; readonly whose: "own" | "other"; readonly alone: boolean; readonly verified: boolean }
  /** Answers the challenge of the last sign-in once more. */
  | { readonly _tag: "Replay" }
  | { readonly _tag: "Confirm"; readonly code: "now" | "none" }
  | { readonly _tag: "App" | "NoApp" | "AddPasskey" | "NoPasskey" | "NewCodes" | "NewPassword" }
  | { readonly _tag: "Pass"; readonly millis: number }

const one = <Name extends FactorStep["_tag"], Fields>(
  _tag: Name,
  fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> }
) => fc.record({ _tag: fc.constant(_tag), ...fields })

const times = fc.constantFrom(1, 1, 3)
const step = fc.oneof(
  { weight: 6, arbitrary: one("Password", {}) },
  {
    weight: 6,
    arbitrary: one("Code", { which: fc.constantFrom("now", "now", "next", "far", "again", "wrong"), times })
  },
  { weight: 3, arbitrary: one("Recovery", { code: fc.constantFrom(0, 0, 1, 2), times }) },
  {
    weight: 4,
    arbitrary: one("Passkey", {
      whose: fc.constantFrom("own", "own", "other"),
      alone: fc.boolean(),
      verified: fc.constantFrom(true, true, false)
    })
  },
  { weight: 2, arbitrary: one("Replay", {}) },
  { weight: 2, arbitrary: one("Confirm", { code: fc.constantFrom("now", "none") }) },
  { weight: 3, arbitrary: one("App", {}) },
  { weight: 3, arbitrary: one("AddPasskey", {}) },
  { weight: 1, arbitrary: fc.constantFrom("NoApp", "NoPasskey", "NewCodes").map((_tag) => ({ _tag })) },
  { weight: 1, arbitrary: one("NewPassword", {}) },
  {
    weight: 4,
    arbitrary: one("Pass", {
      millis: fc.constantFrom(30_000, 30_000, 60_000, CHALLENGE, PENDING - 1, PENDING, FRESH - 1, FRESH)
    })
  }
) as fc.Arbitrary<FactorStep>

/**
 * A pending sign-in is finished at the last instant of its validity, at the first instant after it, or after the
 * password has changed.
 */
const edge: fc.Arbitrary<ReadonlyArray<FactorStep>> = fc
  .constantFrom<FactorStep>(
    { _tag: "Pass", millis: PENDING - 1 },
    { _tag: "Pass", millis: PENDING },
    { _tag: "NewPassword" }
  )
  .map((between) => [
    { _tag: "App" },
    { _tag: "Pass", millis: MINUTE },
    { _tag: "Password" },
    between,
    { _tag: "Code", which: "now", times: 1 }
  ])

export const factorLives: fc.Arbitrary<ReadonlyArray<FactorStep>> = fc
  .array(fc.oneof({ weight: 6, arbitrary: step.map((only) => [only]) }, { weight: 1, arbitrary: edge }), {
    minLength: 3,
    maxLength: 20
  })
  .map((all) => [{ _tag: "App" } as const, ...all.flat()])

export const FACTOR_MARKS = [
  "a challenge used again",
  "a code",
  "a code again",
  "a code of another time",
  "a passkey alone",
  "a passkey alone without a check of its user",
  "a passkey as the second step",
  "a passkey of another account",
  "a pending sign-in after a new password",
  "a pending sign-in too late",
  "a recovery code",
  "a recovery code again",
  "a session no longer fresh",
  "confirmed",
  "not confirmed by the password alone",
  "of several at once one",
  "the password alone"
]

interface Owner {
  readonly account: Account.Account
  readonly passkey: MemoryAuthenticators.MemoryPasskey
}

/**
 * Runs a scenario and fails when a guarantee is violated. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveFactors = (
  steps: ReadonlyArray<FactorStep>,
  met: Set<string>,
  pass: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const [accounts, hasher, vault] = [yield* AccountStore, yield* PasswordHasher, yield* Vault.Vault]
    const make = Effect.gen(function* () {
      const id = UserId.make(yield* Entropy.id("usr"))
      const account: Account.Account = {
        id,
        email: Account.Email.make(`${id}@example.com`),
        displayName: Account.DisplayName.make("Ada"),
        roles: [],
        suspendedAt: null,
        createdAt: yield* Timestamp.now,
        confirmedAt: null,
        timeZone: null,
        language: null,
        browserLanguage: null,
        testOf: null
      }
      yield* accounts.create(account, yield* hasher.hash(PASSWORDS[0] ?? Account.Password.make("x".repeat(10))))
      const passkey = { id: yield* Entropy.secret, key: yield* Entropy.secret, owner: id, counter: 0 }
      return { account, passkey: { ...passkey, isUserVerified: true } } satisfies Owner
    })
    const [ada, eve] = [yield* make, yield* make]
    const { account } = ada
    const added = yield* addPasskey(eve.account, {
      name: Factors.PasskeyName.make("Eve's"),
      response: MemoryAuthenticators.answer(eve.passkey, yield* issueChallenge({ _tag: "Add", userId: eve.account.id }))
    })
    expect(added).toHaveLength(10)

    let version = 0
    let secret: string | null = null
    let usedStep = -1
    let hasPasskey = false
    let signed = 0
    let codes: Array<{ readonly text: string; used: boolean }> = []
    /**
     * The number of wrong codes in a row, since the last right code. A fifth wrong code in a row would close the second
     * step of the sign-in, and this test is not about that limit.
     */
    let wrong = 0
    let lastCode: string | null = null
    let lastChallenge: string | null = null
    let pending: { readonly token: string; readonly version: number; readonly endsAt: number } | null = null
    const sessions: Array<{ cookie: string; confirmedAt: number; isOver: boolean }> = []

    const isOn = () => secret !== null || hasPasskey
    /** The password with the number `index`. Two passwords alternate. */
    const text = (index: number): Account.Password =>
      PASSWORDS[index % PASSWORDS.length] ?? Account.Password.make("a password of nobody")
    const client = { address: account.id, browser: null }
    const opened = (cookie: string, now: number) => sessions.push({ cookie, confirmedAt: now, isOver: false })
    const lives = (now: number) => pending !== null && now < pending.endsAt && pending.version === version
    const noteOver = (now: number) => {
      if (pending === null) return
      if (pending.version !== version) met.add("a pending sign-in after a new password")
      else if (now >= pending.endsAt) met.add("a pending sign-in too late")
    }
    const shown = (fresh: ReadonlyArray<string> | null) => {
      if (fresh !== null) codes = fresh.map((code) => ({ text: code, used: false }))
    }
    const tidy = () => {
      if (!isOn()) codes = []
    }

    /** Sends one code to the second step of the sign-in, from several browsers at the same time. */
    const sendCode = (code: string, count: number, counts: boolean, now: number) =>
      Effect.gen(function* () {
        const token = pending?.token ?? "none"
        const outcomes = yield* Effect.all(
          Array.from({ length: count }, () =>
            Effect.either(finishSignIn({ ...client, pending: token, proof: { _tag: "Code", code } }))
          ),
          { concurrency: "unbounded" }
        )
        const cookies = outcomes.flatMap((one) => (Either.isRight(one) ? [one.right.cookie] : []))
        const works = lives(now) && counts
        expect(cookies).toHaveLength(works ? 1 : 0)
        for (const cookie of cookies) opened(cookie, now)
        if (works) {
          if (count > 1) met.add("of several at once one")
          wrong = count - 1
        } else if (lives(now)) wrong += count
        else noteOver(now)
        return works
      })

    const take = (step: FactorStep, now: number) =>
      Effect.gen(function* () {
        switch (step._tag) {
          case "Password": {
            const entered = yield* Effect.either(signIn({ ...client, email: account.email, password: text(version) }))
            expect(Either.isRight(entered)).toBe(!isOn())
            if (Either.isRight(entered)) return opened(entered.right.cookie, now)
            if (entered.left._tag !== "FactorRequired") return expect(entered.left._tag).toBe("FactorRequired")
            const { pending: token } = entered.left
            expect(Option.isNone(yield* authenticateSession(token))).toBe(true)
            pending = { token, version, endsAt: now + PENDING }
            return met.add("the password alone")
          }
          case "Code": {
            if (secret === null || wrong + step.times > 3) return
            const present = OneTimeCode.stepAt(Timestamp.make(now))
            const at = { now: present, next: present + 1, far: present + 2, again: usedStep, wrong: -5 }[step.which]
            if (step.which === "again" && lastCode === null) return
            const code = step.which === "again" ? (lastCode ?? "") : MemoryAuthenticators.code(secret, at)
            // Two neighbouring time steps may have the same code by chance. So the code is compared with all steps that
            // the service accepts now.
            const near = [present - 1, present, present + 1].filter((one) => one > usedStep)
            const steps = near.filter((one) => MemoryAuthenticators.code(secret ?? "", one) === code)
            const counts = steps.length > 0
            if (yield* sendCode(code, step.times, counts, now)) {
              usedStep = Math.max(...steps)
              lastCode = code
              return met.add("a code")
            }
            if (lives(now)) met.add(step.which === "again" ? "a code again" : "a code of another time")
            return
          }
          case "Recovery": {
            const code = codes[step.code]
            if (code === undefined || wrong + step.times > 3) return
            if (yield* sendCode(code.text, step.times, isOn() && !code.used, now)) {
              code.used = true
              return met.add("a recovery code")
            }
            if (lives(now) && code.used) met.add("a recovery code again")
            return
          }
          case "Passkey": {
            if (!step.alone && pending === null) return
            const use = step.alone
              ? ({ _tag: "SignIn" } as const)
              : ({ _tag: "SecondStep", userId: account.id } as const)
            signed++
            const passkey = step.whose === "own" ? ada.passkey : { ...eve.passkey, owner: account.id }
            const response = MemoryAuthenticators.answer(
              { ...passkey, counter: signed, isUserVerified: step.verified },
              yield* issueChallenge(use)
            )
            if (step.alone && step.whose === "own") lastChallenge = response.challenge
            const token = pending?.token ?? "none"
            const outcome = yield* Effect.either(
              step.alone
                ? signInWithPasskey(response, client)
                : finishSignIn({ ...client, pending: token, proof: { _tag: "Passkey", response } })
            )
            const isKnown = step.whose === "own" && hasPasskey
            const works = isKnown && (step.alone ? step.verified : lives(now))
            expect(Either.isRight(outcome)).toBe(works)
            if (Either.isRight(outcome)) {
              opened(outcome.right.cookie, now)
              return met.add(step.alone ? "a passkey alone" : "a passkey as the second step")
            }
            if (!step.alone) noteOver(now)
            if (step.whose === "other") met.add("a passkey of another account")
            else if (isKnown && step.alone) met.add("a passkey alone without a check of its user")
            return
          }
          case "Replay": {
            if (lastChallenge === null || !hasPasskey) return
            // The service demands that the signature counter is higher than before, and this answer fulfils the demand.
            // So the service can refuse this answer only because the challenge was used before.
            signed++
            const second = MemoryAuthenticators.answer({ ...ada.passkey, counter: signed }, lastChallenge)
            const outcome = yield* Effect.either(signInWithPasskey(second, client))
            expect(Either.isRight(outcome)).toBe(false)
            return met.add("a challenge used again")
          }
          case "Confirm": {
            const session = sessions.findLast(({ isOver }) => !isOver)
            if (session === undefined || wrong > 2) return
            const present = OneTimeCode.stepAt(Timestamp.make(now))
            const counts = secret !== null && step.code === "now" && present > usedStep
            if (secret !== null && step.code === "now" && !counts) return
            const code = step.code === "now" && secret !== null ? MemoryAuthenticators.code(secret, present) : null
            const proof = { _tag: "Password", password: text(version), code } as const
            const outcome = yield* Effect.either(confirmSession(account, { ...client, proof, cookie: session.cookie }))
            const works = !isOn() || counts
            expect(Either.isRight(outcome)).toBe(works)
            if (!works) return met.add("not confirmed by the password alone")
            if (counts) {
              usedStep = present
              lastCode = code
              wrong = 0
            }
            sessions.push({ ...session, isOver: true })
            session.cookie = Either.getOrThrow(outcome)
            session.confirmedAt = now
            return met.add("confirmed")
          }
          case "App": {
            if (secret !== null) return
            const fresh = yield* beginCodeApp(account)
            const present = OneTimeCode.stepAt(Timestamp.make(now))
            shown(yield* confirmCodeApp(account, MemoryAuthenticators.code(fresh, present)))
            secret = fresh
            // If two time steps have the same code by chance, the service assumes that the code is from the later step.
            const same = MemoryAuthenticators.code(fresh, present + 1) === MemoryAuthenticators.code(fresh, present)
            usedStep = same ? present + 1 : present
            lastCode = MemoryAuthenticators.code(fresh, present)
            return
          }
          case "NoApp":
            yield* removeCodeApp(account)
            secret = null
            lastCode = null
            return tidy()
          case "AddPasskey": {
            if (hasPasskey) return
            signed++
            const challenge = yield* issueChallenge({ _tag: "Add", userId: account.id })
            const response = MemoryAuthenticators.answer({ ...ada.passkey, counter: signed }, challenge)
            shown(yield* addPasskey(account, { name: Factors.PasskeyName.make("Ada's"), response }))
            hasPasskey = true
            return
          }
          case "NoPasskey":
            yield* removePasskey(account, Factors.PasskeyId.make(ada.passkey.id))
            hasPasskey = false
            return tidy()
          case "NewCodes":
            if (isOn()) shown(yield* replaceRecoveryCodes(account))
            return
          case "NewPassword": {
            const kept = sessions.findLast(({ isOver }) => !isOver)
            const fresh = yield* changePassword(account, {
              password: text(version),
              newPassword: text(version + 1),
              session: vault.sha256(kept?.cookie ?? ""),
              address: account.id
            })
            version++
            for (const session of sessions) if (session !== kept) session.isOver = true
            if (kept === undefined) return
            sessions.push({ ...kept, isOver: true })
            kept.cookie = Option.getOrThrow(fresh)
            if (!isOn()) kept.confirmedAt = now
            return
          }
          case "Pass":
            wrong = step.millis >= FRESH ? 0 : wrong
            return yield* pass(step.millis)
        }
      })

    for (const step of steps) {
      yield* take(step, yield* Timestamp.now)
      const now = yield* Timestamp.now
      expect(yield* accounts.hasFactor(account.id)).toBe(isOn())
      for (const { confirmedAt, cookie, isOver } of sessions) {
        const isFresh = !isOver && now - confirmedAt < FRESH
        expect(Option.isSome(yield* authenticateSession(cookie))).toBe(!isOver)
        expect(yield* isFreshSession(cookie)).toBe(isFresh)
        if (!isOver && !isFresh) met.add("a session no longer fresh")
      }
    }
  }).pipe(
    // Hashing lets other fibers run, as in production. Otherwise no operations on in-memory stores would overlap.
    Effect.updateService(PasswordHasher, (quick) => ({
      ...quick,
      hash: (chosen) => Effect.zipRight(Effect.yieldNow(), quick.hash(chosen)),
      verify: (stored, typed) => Effect.zipRight(Effect.yieldNow(), quick.verify(stored, typed))
    }))
  )
