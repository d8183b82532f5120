import { Account, AccountStore, authenticateSession, PasswordHasher, signIn } from "@place-access/domain/accounts"
import { requestReset, resetPassword } from "@place-access/domain/credentials"
import {
  beginCodeApp,
  confirmCodeApp,
  finishSignIn,
  keepFactors,
  OneTimeCode,
  removeFactors
} from "@place-access/domain/factors"
import { MemoryAuthenticators } from "@place-access/domain/testing"
import { Entropy, Timestamp, UserId } from "@place-access/domain/shared"
import { Effect, Either, FastCheck as fc, Option, TestClock } from "effect"
import { expect } from "vitest"
import { lettersTo } from "./lettersTo.js"

/**
 * Generates random scenarios of an account whose owner lost the second factor, or whose mailbox a thief reads, and runs
 * them against any stores. Compares each result with a second implementation of the removal of factors (decision
 * factors-7):
 *
 * - An operator asks for the removal. The operator can remove the factors from 72 hours after the request on, for a
 *   week.
 * - A use of a factor, or the owner's button, stops the removal.
 * - A stranger who reads the mailbox can neither remove the factor nor hasten or stop the removal.
 */

export type RemovalStep =
  /**
   * The operator runs the command. The first run requests the removal of the factors, and a later run removes the
   * factors.
   */
  | { readonly _tag: "Command" }
  /** The owner presses the button that stops the removal. */
  | { readonly _tag: "Keep" }
  /** Somebody signs in with the password and a code. */
  | { readonly _tag: "Code"; readonly isRight: boolean }
  /** Somebody who reads the mailbox sets a new password. */
  | { readonly _tag: "Reset" }
  | { readonly _tag: "SetUp" }
  | { readonly _tag: "Pass"; readonly millis: number }

const { DAY, HOUR, MINUTE } = Timestamp
const WAIT = 72 * HOUR
const OPEN = 7 * DAY
/** The time after which a session ends if nobody uses it. The removal of factors does not change this time. */
const IDLE = 14 * DAY

const pass = (millis: number): RemovalStep => ({ _tag: "Pass", millis })
const COMMAND: RemovalStep = { _tag: "Command" }

const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant(COMMAND) },
  {
    weight: 5,
    arbitrary: fc.constantFrom<RemovalStep>(
      { _tag: "Keep" },
      { _tag: "Code", isRight: true },
      { _tag: "Code", isRight: false },
      { _tag: "Reset" },
      { _tag: "SetUp" }
    )
  },
  { weight: 4, arbitrary: fc.constantFrom(1, MINUTE, WAIT - 1, WAIT, OPEN - 1, OPEN).map(pass) }
)

/**
 * Two commands of the operator, with one other step between them. The factors can be removed during the week that
 * begins 72 hours after the first command. If the step takes no time, the second command comes exactly at the
 * beginning or the end of this week, or 1 ms earlier. The step comes a minute after the first command.
 */
const edge: fc.Arbitrary<ReadonlyArray<RemovalStep>> = fc
  .record({
    between: fc.oneof(step, fc.constantFrom<RemovalStep>({ _tag: "Code", isRight: true }, { _tag: "Keep" })),
    millis: fc.constantFrom(WAIT - 1, WAIT, WAIT + OPEN - 1, WAIT + OPEN)
  })
  .map(({ between, millis }) => [{ _tag: "SetUp" }, COMMAND, pass(MINUTE), between, pass(millis - MINUTE), COMMAND])

export const removalLives: fc.Arbitrary<ReadonlyArray<RemovalStep>> = fc
  .array(fc.oneof({ weight: 4, arbitrary: step.map((only) => [only]) }, { weight: 2, arbitrary: edge }), {
    minLength: 1,
    maxLength: 6
  })
  .map((all) => [{ _tag: "SetUp" } as const, ...all.flat()])

export const REMOVAL_MARKS = [
  "asked",
  "asked again after a week",
  "no factor",
  "removed",
  "sessions ended",
  "stopped by a code",
  "stopped by the owner",
  "the mailbox stopped nothing",
  "too early",
  "wrong codes stopped nothing"
]

/**
 * Runs a scenario and fails when a guarantee is violated. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveRemovals = (
  steps: ReadonlyArray<RemovalStep>,
  met: Set<string>,
  wait: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const [accounts, hasher] = [yield* AccountStore, yield* PasswordHasher]
    const id = UserId.make(yield* Entropy.id("usr"))
    const email = Account.Email.make(`${id}@example.com`)
    const account: Account.Account = {
      id,
      email,
      displayName: Account.DisplayName.make("Ada"),
      roles: [],
      suspendedAt: null,
      createdAt: yield* Timestamp.now,
      confirmedAt: yield* Timestamp.now,
      timeZone: null,
      language: null,
      browserLanguage: null,
      testOf: null
    }
    let version = 0
    const password = () => Account.Password.make(`correct horse battery ${version}`)
    yield* accounts.create(account, yield* hasher.hash(password()))

    const client = { address: id, browser: null }
    let secret: string | null = null
    let usedStep = -1
    let askedAt: number | null = null
    let lapsed = false
    /**
     * For each kind of mail, the times at which the service must have sent a mail of this kind. Two mails of one kind
     * at the same time count once.
     */
    const mailed = { asked: new Set<number>(), removed: new Set<number>() }
    let sessions: Array<{ readonly cookie: string; readonly openedAt: number; isOver: boolean }> = []

    const letters = Effect.map(lettersTo(email, id), (all) => ({
      asked: all.filter(({ subject }) => subject === "Somebody asked to remove your second factor").length,
      removed: all.filter(({ subject }) => subject === "Your second factor was removed").length,
      link: all.flatMap(({ text }) => /reset-password\?token=([0-9a-z]+)/.exec(text)?.[1] ?? [])
    }))
    const endSessions = () => {
      for (const session of sessions) session.isOver = true
    }
    const enter = Effect.suspend(() => Effect.either(signIn({ email, password: password(), ...client })))

    const command = (now: number) =>
      Effect.gen(function* () {
        const outcome = yield* Effect.either(removeFactors(email))
        if (secret === null) {
          expect(Either.isLeft(outcome)).toBe(true)
          return met.add("no factor")
        }
        const found = Either.getOrThrow(outcome)
        if (askedAt === null || now >= askedAt + WAIT + OPEN) {
          if (askedAt !== null) met.add("asked again after a week")
          askedAt = now
          mailed.asked.add(now)
          expect(found).toEqual({ _tag: "Requested", opensAt: now + WAIT })
          return met.add("asked")
        }
        if (now < askedAt + WAIT) {
          expect(found).toEqual({ _tag: "Waiting", opensAt: askedAt + WAIT })
          return met.add("too early")
        }
        expect(found).toEqual({ _tag: "Removed" })
        if (lapsed) met.add("the mailbox stopped nothing")
        if (sessions.some(({ isOver }) => !isOver)) met.add("sessions ended")
        askedAt = secret = null
        mailed.removed.add(now)
        endSessions()
        return met.add("removed")
      })

    const take = (one: RemovalStep, now: number) =>
      Effect.gen(function* () {
        switch (one._tag) {
          case "Command":
            return yield* command(now)
          case "Keep":
            yield* keepFactors(account)
            if (askedAt !== null) met.add("stopped by the owner")
            askedAt = null
            return
          case "Code": {
            const present = OneTimeCode.stepAt(Timestamp.make(now))
            if (secret === null || (one.isRight && present <= usedStep)) return
            const first = yield* Effect.flip(signIn({ email, password: password(), ...client }))
            const pending = first._tag === "FactorRequired" ? first.pending : ""
            const code = one.isRight ? MemoryAuthenticators.code(secret, present) : "not a code"
            const second = yield* Effect.either(finishSignIn({ ...client, pending, proof: { _tag: "Code", code } }))
            if (Either.isLeft(second)) {
              expect([one.isRight, second.left._tag === "WrongFactor"]).toEqual([false, true])
              if (askedAt !== null) met.add("wrong codes stopped nothing")
              // A fifth wrong code in a row would close the second step of the sign-in, and this test is not about that
              // limit.
              return yield* wait(15 * MINUTE)
            }
            expect(one.isRight).toBe(true)
            usedStep = present
            sessions.push({ cookie: second.right.cookie, openedAt: now, isOver: false })
            if (askedAt !== null) met.add("stopped by a code")
            askedAt = null
            return
          }
          case "Reset": {
            const before = new Set((yield* letters).link)
            yield* requestReset(email)
            const link = (yield* letters).link.find((text) => !before.has(text))
            // The service mails at most three links in half an hour. Without a link this step ends here.
            if (link === undefined) return
            version++
            yield* resetPassword(link, password())
            endSessions()
            lapsed = askedAt !== null
            return
          }
          case "SetUp": {
            if (secret !== null) return
            const present = OneTimeCode.stepAt(Timestamp.make(now))
            const fresh = yield* beginCodeApp(account)
            yield* confirmCodeApp(account, MemoryAuthenticators.code(fresh, present))
            // If two time steps have the same code by chance, the service assumes that the code is from the later step.
            const same = MemoryAuthenticators.code(fresh, present + 1) === MemoryAuthenticators.code(fresh, present)
            secret = fresh
            usedStep = same ? present + 1 : present
            lapsed = false
            return
          }
          case "Pass":
            return yield* wait(one.millis)
        }
      })

    for (const one of steps) {
      yield* take(one, yield* Timestamp.now)
      const now = yield* Timestamp.now
      expect(yield* accounts.hasFactor(id)).toBe(secret !== null)
      const entered = yield* enter
      expect(Either.isRight(entered) ? "in" : entered.left._tag).toBe(secret === null ? "in" : "FactorRequired")
      const { asked, removed } = yield* letters
      expect({ asked, removed }).toEqual({ asked: mailed.asked.size, removed: mailed.removed.size })
      sessions = sessions.filter(({ openedAt }) => now < openedAt + IDLE)
      for (const { cookie, isOver } of sessions) {
        expect(Option.isSome(yield* authenticateSession(cookie))).toBe(!isOver)
      }
    }
  })
