import {
  Account,
  AccountStore,
  authenticateSession,
  createAccount,
  PasswordHasher,
  signIn
} from "@place-access/domain/accounts"
import {
  changePassword,
  confirmAddress,
  confirmSignUp,
  requestAddressChange,
  requestConfirmation,
  requestSignUp,
  undoAddressChange
} from "@place-access/domain/credentials"
import { Entropy, Timestamp, Vault } from "@place-access/domain/shared"
import { Effect, Either, Option, TestClock } from "effect"
import { expect } from "vitest"
import { lettersTo } from "./lettersTo.js"
import { ADDRESSES, type AddressStep, PASSWORDS, WEEK } from "./addressSteps.js"

/**
 * Runs the scenarios of `addressSteps.ts` against any stores. Compares each result with a second implementation of what
 * the service guarantees about e-mail addresses:
 *
 * - A sign-up becomes an account when its mailed link is used with its password within 24 hours.
 * - An address is changed with a mailed link, in a session of the same account.
 * - A change can be undone for 7 days, even after further changes and a new password.
 * - An address never has two accounts.
 */

const { DAY, MINUTE } = Timestamp

interface SignUpLink {
  readonly secret: string
  readonly address: number
  readonly password: number
  readonly endsAt: number
  isDead: boolean
}
interface ChangeLink {
  readonly secret: string
  readonly person: number
  readonly from: number
  readonly to: number
  readonly endsAt: number
  isDead: boolean
}
interface UndoLink {
  readonly secret: string
  readonly person: number
  readonly to: number
  readonly order: number
  readonly endsAt: number
  isDead: boolean
  /** Whether the account got a new password after this change of its address. */
  isAfterPassword: boolean
}
/** An account, as the model of the test keeps it. */
interface Person {
  readonly id: Account.Account["id"]
  address: number
  password: number
  sessions: Array<{ cookie: string; isOver: boolean }>
}

/**
 * Runs a scenario and fails when a guarantee is violated. Adds to `met` the name of each situation that the scenario
 * reached.
 */
export const liveAddresses = (
  steps: ReadonlyArray<AddressStep>,
  met: Set<string>,
  pass: (millis: number) => Effect.Effect<void> = TestClock.adjust
) =>
  Effect.gen(function* () {
    const [accounts, hasher, vault] = [yield* AccountStore, yield* PasswordHasher, yield* Vault.Vault]
    const world = yield* Entropy.id("w")
    const emails = Array.from({ length: ADDRESSES }, (_, index) => Account.Email.make(`${world}.${index}@example.com`))
    const email = (index: number): Account.Email => emails[index] ?? Account.Email.make("nobody@example.com")
    const text = (index: number): Account.Password => PASSWORDS[index] ?? Account.Password.make("a password of nobody")
    const people: Array<Person> = []
    const signUps: Array<SignUpLink> = []
    const changes: Array<ChangeLink> = []
    const undos: Array<UndoLink> = []
    let order = 0

    const enter = (who: Person) =>
      Effect.gen(function* () {
        const { cookie } = yield* signIn({ email: email(who.address), password: text(who.password), address: world })
        who.sessions.push({ cookie, isOver: false })
      })
    // The first person of the scenario has an account at the beginning. The other people sign up during the scenario.
    const first = yield* createAccount({ email: email(0), password: text(0), roles: [] })
    people.push({ id: first.id, address: 0, password: 0, sessions: [] })
    for (const who of people) yield* enter(who)

    const seen = new Set<string>()
    /**
     * The secrets of the links to `path` in the mails to the address with the number `index`. A second call does not
     * return the secrets of the first call.
     */
    const news = (index: number, path: string) =>
      Effect.map(lettersTo(email(index), holderOf(index)?.id), (letters) => {
        const secrets = letters.flatMap(({ text: letter }) => {
          const secret = new RegExp(`${path}\\?token=([0-9a-z]{52})`).exec(letter)?.[1]
          return secret === undefined || seen.has(secret) ? [] : [secret]
        })
        for (const secret of secrets) seen.add(secret)
        return secrets
      })
    const countOf = (index: number, subject: string) =>
      Effect.map(
        lettersTo(email(index), holderOf(index)?.id),
        (letters) => letters.filter((letter) => letter.subject === subject).length
      )
    const holderOf = (index: number) => people.find((who) => who.address === index)
    const accountOf = (who: Person) =>
      Effect.flatMap(accounts.find(who.id), (found) =>
        Option.match(found, { onNone: () => Effect.die("gone"), onSome: Effect.succeed })
      )
    const wins = (outcomes: ReadonlyArray<Either.Either<unknown, unknown>>, isExpected: boolean): void => {
      expect(outcomes.filter(Either.isRight)).toHaveLength(isExpected ? 1 : 0)
      if (isExpected && outcomes.length > 1) met.add("of several at once one")
    }
    const several = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
      Effect.all(
        Array.from({ length: count }, () => Effect.either(effect)),
        { concurrency: "unbounded" }
      )
    /**
     * Waits until the service sends mail again. The service limits how many mails an address may get in half an hour,
     * and this test is not about that limit. Each step that requests a mail waits first.
     */
    const endWindow = pass(31 * MINUTE)

    const take = (step: AddressStep) =>
      Effect.gen(function* () {
        switch (step._tag) {
          case "SignUp": {
            yield* endWindow
            const now = yield* Timestamp.now
            const noticeCount = yield* countOf(step.address, "You have an account already")
            yield* requestSignUp(
              { email: email(step.address), password: text(step.password), address: yield* Entropy.id("net") },
              "open"
            )
            const fresh = yield* news(step.address, "/confirm-sign-up")
            const isTaken = holderOf(step.address) !== undefined
            expect(fresh).toHaveLength(isTaken ? 0 : 1)
            expect(yield* countOf(step.address, "You have an account already")).toBe(noticeCount + (isTaken ? 1 : 0))
            if (isTaken) met.add("a sign-up of a taken address told its owner")
            for (const secret of fresh) {
              signUps.push({
                secret,
                address: step.address,
                password: step.password,
                endsAt: now + DAY,
                isDead: false
              })
            }
            return
          }
          case "ConfirmSignUp": {
            const now = yield* Timestamp.now
            const link = signUps.at(-1 - step.link)
            if (link === undefined) return
            const isLate = now >= link.endsAt
            const isRight = step.password === link.password
            const isTaken = holderOf(link.address) !== undefined
            const works = !link.isDead && !isLate && isRight && !isTaken
            const outcomes = yield* several(step.times, confirmSignUp(link.secret, text(step.password)))
            wins(outcomes, works)
            if (!works) {
              met.add(
                link.isDead || isTaken
                  ? "a sign-up that is dead"
                  : isLate
                    ? "a sign-up too late"
                    : "a sign-up with another password"
              )
              return
            }
            met.add("a sign-up was confirmed")
            for (const other of signUps) if (other.address === link.address) other.isDead = true
            const made = Option.getOrThrow(yield* accounts.findByEmail(email(link.address))).account
            expect(made.confirmedAt).toBe(now)
            const who: Person = { id: made.id, address: link.address, password: link.password, sessions: [] }
            people.push(who)
            return yield* enter(who)
          }
          case "AskConfirmation": {
            const who = people[step.person]
            if (who === undefined) return
            yield* requestConfirmation(yield* accountOf(who))
            // This person has already confirmed the address, so no mail is sent.
            expect(yield* news(who.address, "/confirm-address")).toEqual([])
            return void met.add("an address that was confirmed already")
          }
          case "AskChange": {
            const who = people[step.person]
            if (who === undefined) return
            yield* endWindow
            const now = yield* Timestamp.now
            const request = yield* Effect.either(requestAddressChange(yield* accountOf(who), email(step.address)))
            expect(Either.isRight(request)).toBe(step.address !== who.address)
            if (Either.isLeft(request)) return
            const fresh = yield* news(step.address, "/confirm-address")
            const isTaken = holderOf(step.address) !== undefined
            expect(fresh).toHaveLength(isTaken ? 0 : 1)
            if (isTaken) met.add("another account's address was asked for")
            for (const secret of fresh) {
              changes.push({
                secret,
                person: step.person,
                from: who.address,
                to: step.address,
                endsAt: now + DAY,
                isDead: false
              })
            }
            return
          }
          case "Confirm": {
            const now = yield* Timestamp.now
            const link = changes.at(-1 - step.link)
            const who = people[step.person]
            if (link === undefined || who === undefined) return
            const isOwn = link.person === step.person
            const isLate = now >= link.endsAt
            const isTaken = holderOf(link.to) !== undefined
            const works = isOwn && !link.isDead && !isLate && !isTaken && who.address === link.from
            const outcomes = yield* several(step.times, confirmAddress(yield* accountOf(who), link.secret, "confirmed"))
            wins(outcomes, works)
            if (!works) {
              met.add(
                !isOwn
                  ? "a change of another account's"
                  : link.isDead || who.address !== link.from
                    ? "a change that is dead"
                    : isLate
                      ? "a change too late"
                      : "a change whose address is taken"
              )
              return
            }
            met.add("a change was confirmed")
            for (const other of changes) if (other.person === step.person) other.isDead = true
            const [secret = ""] = yield* news(link.from, "/undo-address")
            expect(secret).not.toBe("")
            undos.push({
              secret,
              person: step.person,
              to: link.from,
              order: order++,
              endsAt: now + WEEK,
              isDead: false,
              isAfterPassword: false
            })
            who.address = link.to
            return
          }
          case "Undo": {
            const now = yield* Timestamp.now
            const link = undos.at(-1 - step.link)
            if (link === undefined) return
            const who = people[link.person]
            if (who === undefined) return
            const isLate = now >= link.endsAt
            const holder = holderOf(link.to)
            const isTaken = holder !== undefined && holder !== who
            const works = !link.isDead && !isLate && !isTaken
            const outcomes = yield* several(
              step.times,
              undoAddressChange(link.secret, text(step.password), "confirmed")
            )
            wins(outcomes, works)
            if (!works) {
              met.add(
                link.isDead ? "an undo that is dead" : isLate ? "an undo too late" : "an undo whose address is taken"
              )
              return
            }
            met.add("undone")
            if (link.isAfterPassword) met.add("an undo after a new password")
            for (const other of undos) {
              if (other.person !== link.person || other.isDead || other === link) continue
              if (other.order > link.order) other.isDead = true
              else {
                other.isAfterPassword = true
                if (now < other.endsAt) met.add("an older undo link outlived a younger one")
              }
            }
            link.isDead = true
            for (const other of changes) if (other.person === link.person) other.isDead = true
            who.address = link.to
            who.password = step.password
            for (const session of who.sessions) session.isOver = true
            return yield* enter(who)
          }
          case "NewPassword": {
            const who = people[step.person]
            const session = who?.sessions.findLast(({ isOver }) => !isOver)
            if (who === undefined || session === undefined) return
            const fresh = yield* changePassword(yield* accountOf(who), {
              password: text(who.password),
              newPassword: text(step.password),
              session: vault.sha256(session.cookie),
              address: world
            })
            // The service gives no new cookie to a session that was unused for two weeks. The model does not know the
            // last use of a session, so it takes from the service's answer whether the session got a new cookie.
            if (Option.isSome(fresh)) {
              who.sessions.push({ ...session, isOver: true })
              session.cookie = fresh.value
            }
            who.password = step.password
            for (const other of who.sessions) if (other !== session) other.isOver = true
            for (const other of changes) if (other.person === step.person) other.isDead = true
            for (const other of undos) if (other.person === step.person) other.isAfterPassword = true
            return
          }
          case "Pass":
            return yield* pass(step.millis)
        }
      })

    for (const step of steps) {
      yield* take(step)
      for (const who of people) {
        const account = yield* accountOf(who)
        expect(account.email).toBe(email(who.address))
        expect(account.confirmedAt).not.toBeNull()
        const stored = Option.getOrThrow(yield* accounts.findByEmail(account.email))
        expect(yield* hasher.verify(stored.passwordHash, text(who.password))).toBe(true)
        for (const { cookie, isOver } of who.sessions) {
          if (isOver) expect(Option.isNone(yield* authenticateSession(cookie))).toBe(true)
        }
      }
      for (const [index, one] of emails.entries()) {
        const found = Option.map(yield* accounts.findByEmail(one), ({ account }) => account.id)
        expect(Option.getOrUndefined(found)).toBe(holderOf(index)?.id)
      }
    }
  })
