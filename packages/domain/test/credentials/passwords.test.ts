import {
  Account,
  authenticateSession,
  createAccount,
  PasswordHasher,
  signIn,
  SignInThrottle
} from "@place-access/domain/accounts"
import {
  changePassword,
  CredentialStore,
  describeReset,
  issueResetLink,
  requestReset,
  resetPassword
} from "@place-access/domain/credentials"
import { deleteAccount } from "@place-access/domain/deletions"
import { everything } from "@place-access/domain/leases"
import { listRecentMail, Mail, MailOutbox, sendMail } from "@place-access/domain/mail"
import { Timestamp, Vault } from "@place-access/domain/shared"
import {
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryLimitStore,
  MemoryMailer,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryCredentialStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryMailer.layer,
  MemoryPasswordHasher.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)

const email = Account.Email.make("ada@example.com")
const password = Account.Password.make("correct horse battery")
const newPassword = Account.Password.make("purple monkey dishwasher")
const address = "203.0.113.7"
const SITES = { portal: "https://service.example/portal", service: "https://service.example" }
const ada = createAccount({ email, password, roles: [] })

const letters = listRecentMail(100, SITES)
const tokens = Effect.map(letters, (all) =>
  all.flatMap(({ text }) => /https:\/\/service\.example\/reset-password\?token=(\w+)/.exec(text)?.[1] ?? [])
)
const requested = Effect.gen(function* () {
  yield* requestReset(email)
  return (yield* tokens)[0] ?? ""
})
const enter = (typed: string) => signIn({ email, password: typed, address })
const tagOf = <A, E extends { readonly _tag: string }, R>(program: Effect.Effect<A, E, R>) =>
  Effect.match(program, { onFailure: ({ _tag }) => _tag, onSuccess: () => "Done" })

describe("changing the password [accounts-10]", () => {
  it.effect("asks for the old one, gives this session a new cookie, ends the others, and tells the owner", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const { sha256 } = yield* Vault.Vault
      const [here, elsewhere] = [yield* enter(password), yield* enter(password)]
      const session = sha256(here.cookie)
      const wrong = changePassword(account, { password: "not this one", newPassword, address, session })
      expect(yield* tagOf(wrong)).toBe("WrongCredentials")
      expect(Option.isSome(yield* authenticateSession(elsewhere.cookie))).toBe(true)
      expect(yield* letters).toEqual([])

      const fresh = yield* changePassword(account, { password, newPassword, address, session })
      expect(Option.isSome(yield* authenticateSession(Option.getOrThrow(fresh)))).toBe(true)
      expect(Option.isSome(yield* authenticateSession(here.cookie))).toBe(false)
      expect(Option.isSome(yield* authenticateSession(elsewhere.cookie))).toBe(false)
      expect(yield* tagOf(enter(password))).toBe("WrongCredentials")
      expect((yield* enter(newPassword)).account).toEqual(account)
      const [notice] = yield* letters
      expect([notice?.to, notice?.subject]).toEqual([email, "Your password was changed"])
      expect(notice?.text).toContain("https://service.example/forgot-password")
      expect(notice?.text).not.toContain(newPassword)
    }).pipe(Effect.provide(stores))
  )

  it.effect("five wrong old passwords close it, and sign-in with it", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const session = (yield* Vault.Vault).sha256((yield* enter(password)).cookie)
      const change = (typed: string) =>
        tagOf(changePassword(account, { password: typed, newPassword, address, session }))
      for (let count = 0; count < 5; count++) expect(yield* change("not this one")).toBe("WrongCredentials")
      expect(yield* change(password)).toBe("TooManyAttempts")
      expect(yield* tagOf(enter(password))).toBe("TooManyAttempts")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a change that was overtaken by another one changes nothing", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const quick = yield* PasswordHasher
      const context = yield* Effect.context<CredentialStore | Vault.Vault | PasswordHasher>()
      const session = (yield* Vault.Vault).sha256((yield* enter(password)).cookie)
      const change = changePassword(account, { password, newPassword, address, session })
      const stolen = Account.Password.make("the thief's own password")
      // The owner changes the password. After the service has checked the old password, and before it stores the new
      // one, a thief resets the password. Then the change must fail and store nothing, because the old password, which
      // allowed the change, is not valid any more.
      const token = yield* requested
      const outcome = yield* tagOf(
        Effect.provideService(change, PasswordHasher, {
          ...quick,
          hash: (text) =>
            Effect.zipRight(Effect.provide(Effect.orDie(resetPassword(token, stolen)), context), quick.hash(text))
        })
      )
      expect(outcome).toBe("WrongCredentials")
      expect(yield* tagOf(enter(newPassword))).toBe("WrongCredentials")
      expect(yield* tagOf(enter(stolen))).toBe("Done")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a password that attackers try first is refused, and the old one stays [accounts-7]", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const session = (yield* Vault.Vault).sha256((yield* enter(password)).cookie)
      const common = Account.Password.make("password123")
      const refused = yield* Effect.flip(changePassword(account, { password, newPassword: common, address, session }))
      expect(refused).toMatchObject({ _tag: "Invalid", problems: [{ field: "new_password" }] })
      expect(
        yield* tagOf(createAccount({ email: Account.Email.make("b@example.com"), password: common, roles: [] }))
      ).toBe("Invalid")
      expect(yield* tagOf(enter(password))).toBe("Done")
    }).pipe(Effect.provide(stores))
  )
})

describe("setting a new password by mail [accounts-9]", () => {
  it.effect("the link works once and ends every session; the next sign-in needs the new password", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const session = yield* enter(password)
      const token = yield* requested
      expect(yield* describeReset(token)).toEqual(account)
      yield* resetPassword(token, newPassword)
      expect(Option.isSome(yield* authenticateSession(session.cookie))).toBe(false)
      expect(yield* tagOf(enter(newPassword))).toBe("Done")
      expect(yield* tagOf(resetPassword(token, password))).toBe("NotFound")
      expect(yield* tagOf(describeReset(token))).toBe("NotFound")
      expect((yield* letters).map(({ subject }) => subject)).toContain("Your password was changed")
    }).pipe(Effect.provide(stores))
  )

  it.effect("30 minutes, to the millisecond [T2]", () =>
    Effect.gen(function* () {
      yield* ada
      const token = yield* requested
      yield* TestClock.adjust(30 * Timestamp.MINUTE - 1)
      expect(yield* tagOf(describeReset(token))).toBe("Done")
      yield* TestClock.adjust(1)
      expect(yield* tagOf(describeReset(token))).toBe("NotFound")
      expect(yield* tagOf(resetPassword(token, newPassword))).toBe("NotFound")
    }).pipe(Effect.provide(stores))
  )

  it.effect("an unknown address gets no mail, and the caller learns nothing", () =>
    Effect.gen(function* () {
      yield* requestReset(Account.Email.make("nobody@example.com"))
      expect(yield* letters).toEqual([])
    }).pipe(Effect.provide(stores))
  )

  it.effect("three links in half an hour; who uses them up has mailed the owner a link that works so long", () =>
    Effect.gen(function* () {
      yield* ada
      for (let count = 0; count < 5; count++) yield* requestReset(email)
      expect(yield* tokens).toHaveLength(3)
      yield* TestClock.adjust(30 * Timestamp.MINUTE - 1)
      const [token = ""] = yield* tokens
      expect(yield* tagOf(describeReset(token))).toBe("Done")
      yield* requestReset(email)
      expect(yield* tokens).toHaveLength(3)
      yield* TestClock.adjust(1)
      yield* requestReset(email)
      expect(yield* tokens).toHaveLength(4)
    }).pipe(Effect.provide(stores))
  )

  it.effect("the database has the link's hash, and its secret only encrypted, until the mail is sent", () =>
    Effect.gen(function* () {
      yield* ada
      const token = yield* requested
      const tables = yield* MemoryDatabase
      const [message] = tables.mail.values()
      expect(JSON.stringify([...tables.mail, ...tables.accountLinks])).not.toContain(token)
      expect([...tables.accountLinks.keys()]).toEqual([(yield* Vault.Vault).sha256(token)])
      expect(message?.secret).toBeDefined()
      yield* sendMail(SITES, everything.people)
      const post = yield* MemoryMailer.Post
      expect(
        (yield* post.letters).map(({ text }) => text.includes(`${SITES.service}/reset-password?token=${token}`))
      ).toEqual([true])
      expect([...tables.mail.values()].map(({ secret }) => secret)).toEqual([undefined])
    }).pipe(Effect.provide(stores))
  )

  it.effect("a mail whose key is gone is given up and not sent without its link", () =>
    Effect.gen(function* () {
      yield* ada
      yield* requested
      const outbox = yield* MailOutbox
      const [kept] = yield* outbox.recent(1)
      const message = kept?.message ?? (yield* Effect.die("no mail"))
      // The link is encrypted for the message with the original `dedupeKey`. So the service cannot decrypt it for a
      // copy with another key, and must not send the copy.
      yield* outbox.put({ ...message, dedupeKey: "moved" }, yield* Timestamp.now)
      expect(Mail.secretContext(message)).not.toBe(Mail.secretContext({ ...message, dedupeKey: "moved" }))
      yield* sendMail(SITES, everything.people)
      expect(yield* (yield* MemoryMailer.Post).letters).toHaveLength(1)
      const moved = (yield* outbox.recent(10)).find((one) => one.message.dedupeKey === "moved")
      expect(moved?.lastError).toBe("its link cannot be decrypted: the key was removed")
    }).pipe(Effect.provide(stores))
  )

  it.effect("opens sign-in again that a stranger's guesses had closed", () =>
    Effect.gen(function* () {
      yield* ada
      for (let count = 0; count < SignInThrottle.PER_ACCOUNT; count++) yield* tagOf(enter("a stranger's guess"))
      expect(yield* tagOf(enter(password))).toBe("TooManyAttempts")
      yield* resetPassword(yield* requested, newPassword)
      expect(yield* tagOf(enter(newPassword))).toBe("Done")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a link dies with the account, also when somebody else takes the address", () =>
    Effect.gen(function* () {
      const account = yield* ada
      const token = yield* requested
      yield* deleteAccount(account, { password, address })
      expect((yield* MemoryDatabase).accountLinks.size).toBe(0)
      yield* ada
      expect(yield* tagOf(resetPassword(token, newPassword))).toBe("NotFound")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a text that is no secret of ours is not looked up", () =>
    Effect.gen(function* () {
      const blind = { ...(yield* CredentialStore), findLink: () => Effect.die("looked up") }
      for (const text of ["", "x".repeat(51), "'; DROP TABLE accounts", "A".repeat(52)]) {
        expect(yield* tagOf(Effect.provideService(describeReset(text), CredentialStore, blind))).toBe("NotFound")
      }
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "a link that an operator makes works once, for 30 minutes; nothing is mailed before it is used [accounts-10]",
    () =>
      Effect.gen(function* () {
        yield* ada
        const before = (yield* letters).length
        const { expiresAt, secret } = yield* issueResetLink(email)
        expect(expiresAt).toBe(30 * Timestamp.MINUTE)
        expect((yield* letters).length).toBe(before)
        yield* resetPassword(secret, newPassword)
        expect((yield* letters)[0]?.subject).toBe("Your password was changed")
        expect((yield* Effect.flip(resetPassword(secret, password)))._tag).toBe("NotFound")
        expect((yield* Effect.flip(issueResetLink(Account.Email.make("nobody@example.com"))))._tag).toBe("NotFound")
      }).pipe(Effect.provide(stores))
  )
})
