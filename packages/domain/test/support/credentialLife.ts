import {
  Account,
  AccountStore,
  authenticateSession,
  endOtherSessions,
  endSession,
  listSessions,
  PasswordHasher,
  signIn
} from "@place-access/domain/accounts"
import { changePassword, requestReset, resetPassword } from "@place-access/domain/credentials"
import { listRecentMail } from "@place-access/domain/mail"
import { Entropy, Timestamp, UserId, Vault } from "@place-access/domain/shared"
import { Effect, Either, FastCheck as fc, Option, TestClock } from "effect"
import { expect } from "vitest"

/**
 * Generates random scenarios of one account, and runs them against any stores. Compares each result with a second
 * implementation of what the service guarantees about the password:
 *
 * - A mailed link works once, for 30 minutes, and not after the password has changed.
 * - A new password ends the other sessions. It also ends the old cookie of the session that set the password.
 * - The old password opens no session.
 * - A session ends two weeks after its last use, thirty days after its beginning, or when its owner ends it.
 */

export type CredentialStep =
  | { readonly _tag: "SignIn"; readonly password: number }
  | { readonly _tag: "Request" }
  /**
   * `link` selects a mailed link: 0 is the newest. With `times` > 1, several browsers use the link at the same time.
   */
  | { readonly _tag: "Use"; readonly link: number; readonly password: number; readonly times: number }
  | { readonly _tag: "Change"; readonly session: number; readonly old: number; readonly password: number }
  /** Somebody signs in with the present password while the newest link for a new password is used. */
  | { readonly _tag: "Race"; readonly password: number }
  /**
   * `session` selects a session: 0 is the newest. In it, the owner ends this session (`it`) or all other sessions
   * (`others`).
   */
  | { readonly _tag: "End"; readonly session: number; readonly what: "it" | "others" }
  | { readonly _tag: "Pass"; readonly millis: number }

const HALF_HOUR = 30 * Timestamp.MINUTE
const TWO_WEEKS = 14 * Timestamp.DAY
const THIRTY_DAYS = 30 * Timestamp.DAY
const HOUR = Timestamp.HOUR
const PASSWORDS = ["correct horse battery", "purple monkey dishwasher", "staple ocean seventeen"].map((text) =>
  Account.Password.make(text)
)

const password = fc.nat({ max: PASSWORDS.length - 1 })
const one = <Name extends CredentialStep["_tag"], Fields>(
  _tag: Name,
  fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> }
) => fc.record({ _tag: fc.constant(_tag), ...fields })

const step = fc.oneof(
  { weight: 4, arbitrary: one("SignIn", { password }) },
  { weight: 5, arbitrary: one("Request", {}) },
  {
    weight: 5,
    arbitrary: one("Use", { link: fc.constantFrom(0, 0, 1, 2), password, times: fc.constantFrom(1, 1, 3) })
  },
  { weight: 3, arbitrary: one("Change", { session: fc.constantFrom(0, 1), old: password, password }) },
  { weight: 1, arbitrary: one("Race", { password }) },
  { weight: 2, arbitrary: one("End", { session: fc.constantFrom(0, 1, 2), what: fc.constantFrom("it", "others") }) },
  {
    weight: 4,
    arbitrary: one("Pass", {
      millis: fc.constantFrom(1, HALF_HOUR - 1, HALF_HOUR, HALF_HOUR, HOUR - 1, HOUR, TWO_WEEKS - 1, TWO_WEEKS)
    })
  }
) as fc.Arbitrary<CredentialStep>

/** A link is used at the last instant of its validity, or at the first instant after it. */
const edge = fc
  .tuple(fc.constantFrom(HALF_HOUR - 1, HALF_HOUR), password)
  .map(([millis, chosen]): ReadonlyArray<CredentialStep> => [
    { _tag: "Request" },
    { _tag: "Pass", millis },
    { _tag: "Use", link: 0, password: chosen, times: 1 }
  ])

/** Signs in with each password. One of them is the present password. */
const SIGN_IN = PASSWORDS.map((_, index) => ({ _tag: "SignIn", password: index }) as const)

/** Two browsers have a session. One browser ends its own session or the session of the other browser. */
const apart: fc.Arbitrary<ReadonlyArray<CredentialStep>> = fc
  .constantFrom<"it" | "others">("it", "others")
  .map((what) => [...SIGN_IN, ...SIGN_IN, { _tag: "End", session: 1, what }] as const)

/**
 * A session is used again and again, each time just before it would end, until it ends thirty days after the sign-in.
 */
const longUse: fc.Arbitrary<ReadonlyArray<CredentialStep>> = fc
  .constantFrom(2 * Timestamp.DAY + 1, 2 * Timestamp.DAY + 2)
  .map((last) => [
    ...SIGN_IN,
    { _tag: "Pass", millis: TWO_WEEKS - 1 },
    { _tag: "Pass", millis: TWO_WEEKS - 1 },
    { _tag: "Pass", millis: last }
  ])

export const credentialLives: fc.Arbitrary<ReadonlyArray<CredentialStep>> = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: step.map((only) => [only]) },
      { weight: 1, arbitrary: edge },
      { weight: 1, arbitrary: longUse },
      { weight: 1, arbitrary: apart }
    ),
    {
      minLength: 1,
      maxLength: 18
    }
  )
  .map((all) => all.flat())

export const CREDENTIAL_MARKS = [
  "a browser was signed out",
  "a link that died with the password",
  "a link that was used",
  "a link that was used again",
  "a link too late",
  "changed",
  "changed with a wrong password",
  "no fourth link",
  "of several at once one",
  "other browsers were signed out",
  "other sessions ended",
  "over after thirty days of use",
  "raced with a sign-in",
  "signed in",
  "signed in with an old password"
]

interface Link {
  readonly secret: string
  readonly createdAt: number
  state: "live" | "used" | "dead"
}

interface Opened {
  cookie: string
  readonly openedAt: number
  seenAt: number
  expiresAt: number
  isOver: boolean
}

const opened = (cookie: string, now: number) => ({
  cookie,
  openedAt: now,
  seenAt: now,
  expiresAt: now + TWO_WEEKS
})

/**
 * Runs a scenario and fails when a guarantee is violated. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveCredentials = (
  steps: ReadonlyArray<CredentialStep>,
  met: Set<string>,
  pass: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const [accounts, hasher, vault] = [yield* AccountStore, yield* PasswordHasher, yield* Vault.Vault]
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
    const text = (index: number): Account.Password => PASSWORDS[index] ?? Account.Password.make("a password of nobody")
    yield* accounts.create(account, yield* hasher.hash(text(0)))

    let present = 0
    /**
     * The number of wrong passwords since the last right password. A fifth wrong password in a row would close sign-in
     * for the account, and this test is not about that limit.
     */
    let failures = 0
    let window = { endsAt: 0, used: 0 }
    const links: Array<Link> = []
    const sessions: Array<Opened> = []

    const mailed = Effect.map(listRecentMail(10_000, { portal: "", service: "" }), (letters) =>
      letters.flatMap(({ text: letter, to }) => {
        const secret = to === email ? /token=([0-9a-z]+)/.exec(letter)?.[1] : undefined
        return secret === undefined ? [] : [secret]
      })
    )
    const isLive = (link: Link, now: number) => link.state === "live" && now < link.createdAt + HALF_HOUR
    const replaced = (chosen: number, stays?: Opened) => {
      present = chosen
      failures = 0
      for (const link of links) if (link.state === "live") link.state = "dead"
      for (const session of sessions) {
        if (session === stays || session.isOver) continue
        session.isOver = true
        met.add("other sessions ended")
      }
    }
    const enter = (chosen: number) => Effect.either(signIn({ email, password: text(chosen), address: id }))

    const take = (step: CredentialStep, now: number) =>
      Effect.gen(function* () {
        switch (step._tag) {
          case "SignIn": {
            if (step.password !== present && failures >= 4) return
            const entered = yield* enter(step.password)
            expect(Either.isRight(entered)).toBe(step.password === present)
            met.add(step.password === present ? "signed in" : "signed in with an old password")
            if (Either.isLeft(entered)) failures++
            else {
              failures = 0
              sessions.push({ ...opened(entered.right.cookie, now), isOver: false })
            }
            return
          }
          case "Request": {
            window = now < window.endsAt ? { ...window, used: window.used + 1 } : { endsAt: now + HALF_HOUR, used: 1 }
            yield* requestReset(email)
            const known = new Set(links.map(({ secret }) => secret))
            const fresh = (yield* mailed).filter((secret) => !known.has(secret))
            expect(fresh).toHaveLength(window.used <= 3 ? 1 : 0)
            if (window.used > 3) met.add("no fourth link")
            for (const secret of fresh) links.push({ secret, createdAt: now, state: "live" })
            return
          }
          case "Use": {
            const link = links.at(-1 - step.link)
            if (link === undefined) return
            const works = isLive(link, now)
            const outcomes = yield* Effect.all(
              Array.from({ length: step.times }, () => Effect.either(resetPassword(link.secret, text(step.password)))),
              { concurrency: "unbounded" }
            )
            expect(outcomes.filter(Either.isRight)).toHaveLength(works ? 1 : 0)
            if (!works) {
              met.add(
                link.state === "used"
                  ? "a link that was used again"
                  : link.state === "dead"
                    ? "a link that died with the password"
                    : "a link too late"
              )
              return
            }
            link.state = "used"
            met.add(step.times > 1 ? "of several at once one" : "a link that was used")
            return replaced(step.password)
          }
          case "Change": {
            const session = sessions.filter((one) => !one.isOver && now < one.expiresAt).at(-1 - step.session)
            if (session === undefined || (step.old !== present && failures >= 4)) return
            const changed = yield* Effect.either(
              changePassword(account, {
                password: text(step.old),
                newPassword: text(step.password),
                session: vault.sha256(session.cookie),
                address: id
              })
            )
            expect(Either.isRight(changed)).toBe(step.old === present)
            met.add(step.old === present ? "changed" : "changed with a wrong password")
            if (Either.isLeft(changed)) {
              failures++
              return
            }
            sessions.push({ ...session, isOver: true })
            session.cookie = Option.getOrThrow(changed.right)
            return replaced(step.password, session)
          }
          case "Race": {
            const link = links.at(-1)
            if (link === undefined || !isLive(link, now) || step.password === present) return
            const [entered] = yield* Effect.all([enter(present), resetPassword(link.secret, text(step.password))], {
              concurrency: "unbounded"
            })
            met.add("raced with a sign-in")
            link.state = "used"
            replaced(step.password)
            // A sign-in with the old password may come before the new password is stored, or after it. In both cases
            // there is no session with the old password at the end.
            if (Either.isRight(entered)) {
              sessions.push({ ...opened(entered.right.cookie, now), isOver: true })
            } else failures++
            return
          }
          case "End": {
            const live = sessions.filter((one) => !one.isOver && now < one.expiresAt)
            const session = live.at(-1 - step.session)
            if (session === undefined) return
            if (step.what === "others") {
              expect(yield* endOtherSessions(id, session.cookie)).toBe(live.length - 1)
              for (const one of sessions) if (one !== session) one.isOver = true
              if (live.length > 1) met.add("other browsers were signed out")
              return
            }
            const listed = yield* listSessions(id, session.cookie)
            const own = listed.filter(({ isCurrent }) => isCurrent)
            expect(own).toHaveLength(1)
            for (const one of own) yield* endSession(id, one.id)
            session.isOver = true
            met.add("a browser was signed out")
            return
          }
          case "Pass":
            return yield* pass(step.millis)
        }
      })

    for (const step of steps) {
      yield* take(step, yield* Timestamp.now)
      const now = yield* Timestamp.now
      for (const one of sessions) {
        const isLive = !one.isOver && now < one.expiresAt
        expect(Option.isSome(yield* authenticateSession(one.cookie))).toBe(isLive)
        if (!one.isOver && !isLive && one.expiresAt === one.openedAt + THIRTY_DAYS) {
          met.add("over after thirty days of use")
        }
        // A look-up of a session counts as a use of the session. So the session lasts two weeks from now, but not
        // longer than thirty days from its beginning.
        if (isLive && now - one.seenAt >= HOUR) {
          one.seenAt = now
          one.expiresAt = Math.min(now + TWO_WEEKS, one.openedAt + THIRTY_DAYS)
        }
      }
      const listed = yield* accounts.listSessions(account.id, yield* Timestamp.now)
      expect(listed.length).toBe(sessions.filter(({ expiresAt, isOver }) => !isOver && now < expiresAt).length)
      const stored = Option.getOrThrow(yield* accounts.findByEmail(email)).passwordHash
      for (const [index, chosen] of PASSWORDS.entries()) {
        expect(yield* hasher.verify(stored, chosen)).toBe(index === present)
      }
    }
  }).pipe(
    // This hasher lets other fibers run, as hashing does in production. Otherwise no operations on in-memory stores
    // would overlap.
    Effect.updateService(PasswordHasher, (quick) => ({
      ...quick,
      hash: (chosen) => Effect.zipRight(Effect.yieldNow(), quick.hash(chosen)),
      verify: (stored, typed) => Effect.zipRight(Effect.yieldNow(), quick.verify(stored, typed))
    }))
  )
