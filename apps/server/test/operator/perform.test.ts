import {
  Account,
  AccountStore,
  authenticateSession,
  createAccount,
  signIn,
  signUp
} from "@place-access/domain/accounts"
import { AuditLog } from "@place-access/domain/audit"
import { SignUpRequest } from "@place-access/domain/credentials"
import { AccountDeletion } from "@place-access/domain/deletions"
import { beginCodeApp, confirmCodeApp, OneTimeCode, pendingCodeApp } from "@place-access/domain/factors"
import { MailOutbox } from "@place-access/domain/mail"
import { AppId, Timestamp, UserId } from "@place-access/domain/shared"
import {
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryAuthenticators,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryFactorStore,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryStaffStore,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer, Option, TestClock } from "effect"
import type { AccountCommand } from "../../src/operator/AccountCommand.js"
import { perform } from "../../src/operator/perform.js"

const stores = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryAuthenticators.codes,
  MemoryCredentialStore.layer,
  MemoryFactorStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer,
  MemoryStaffStore.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)

const email = Account.Email.make("ada@example.com")
const password = Account.Password.make("correct horse battery")
const run = (command: AccountCommand, hasMailServer = true) =>
  perform(command, { baseUrl: "https://service.example", hasMailServer })
/** What the operator reads: a sentence about the outcome, or the reason why nothing was done. */
const outputOf = (command: AccountCommand, hasMailServer = true) =>
  Effect.map(
    Effect.either(run(command, hasMailServer)),
    Either.match({ onLeft: ({ message }) => message, onRight: ({ sentences }) => sentences.join("\n") })
  )
const events = Effect.flatMap(AuditLog, (log) =>
  Effect.map(log.list({}, 100, undefined), ({ items }) => items.map(({ actor, detail }) => [actor._tag, detail.kind]))
)
const subjects = Effect.flatMap(MailOutbox, (outbox) =>
  Effect.map(outbox.recent(100), (all) => all.map(({ message }) => message.subject))
)

describe("account remove-factor [factors-7]", () => {
  it.effect("asks, waits for 72 hours, removes, signs out; the request and the removal are events", () =>
    Effect.gen(function* () {
      const account = yield* createAccount({ email, password, roles: [] })
      const command = { _tag: "RemoveFactor", account: email } as const
      expect(yield* outputOf(command)).toBe(`${email} has no second factor. Nothing was changed.`)
      const { cookie } = yield* signIn({ email, password, address: "203.0.113.7" })
      yield* beginCodeApp(account)
      const secret = Option.getOrThrow(yield* pendingCodeApp(account))
      yield* confirmCodeApp(account, MemoryAuthenticators.code(secret, OneTimeCode.stepAt(yield* Timestamp.now)))
      const before = (yield* events).length

      expect(yield* outputOf(command)).toMatch(/^Nothing is removed yet\. The owner gets a mail about it\./)
      expect((yield* events).slice(0, -before)).toEqual([["Operator", "factor_removal_asked"]])
      expect(yield* subjects).toHaveLength(2)
      yield* TestClock.adjust(72 * Timestamp.HOUR - 1)
      expect(yield* outputOf(command)).toMatch(/^Nothing is removed yet: it was asked for before\./)
      expect((yield* events).slice(0, -before)).toHaveLength(1)
      yield* TestClock.adjust(1)
      expect(yield* outputOf(command)).toMatch(/^Removed the second factor of ada@example\.com/)
      const kinds = (yield* events).slice(0, -before - 1)
      expect(kinds.every(([actor, kind]) => actor === "Operator" && kind === "factor_removed")).toBe(true)
      expect(Option.isNone(yield* authenticateSession(cookie))).toBe(true)
      expect(yield* (yield* AccountStore).hasFactor(account.id)).toBe(false)
    }).pipe(Effect.provide(stores))
  )
})

describe("account remove-factor for an owner whom no mail reaches [factors-7, accounts-11]", () => {
  it.effect("the operator reads that the owner is not told, at the request and at the removal", () =>
    Effect.gen(function* () {
      const account = yield* createAccount({ email, password, roles: [] })
      yield* beginCodeApp(account)
      const secret = Option.getOrThrow(yield* pendingCodeApp(account))
      yield* confirmCodeApp(account, MemoryAuthenticators.code(secret, OneTimeCode.stepAt(yield* Timestamp.now)))
      const { accounts } = yield* MemoryDatabase
      const stored = Option.getOrThrow(Option.fromNullable(accounts.get(account.id)))
      accounts.set(account.id, { ...stored, account: { ...stored.account, confirmedAt: null } })
      const command = { _tag: "RemoveFactor", account: email } as const
      const unread = `The owner gets no mail about it, because nobody confirmed the address of ${email}.`
      const asked = yield* outputOf(command)
      expect([asked.includes(unread), asked.includes("gets a mail")]).toEqual([true, false])
      yield* TestClock.adjust(72 * Timestamp.HOUR)
      const removed = yield* outputOf(command)
      expect([removed.includes(unread), removed.includes("gets a mail")]).toEqual([true, false])
    }).pipe(Effect.provide(stores))
  )
})

describe("account remove-factor without a mail server [factors-7, mail-5]", () => {
  it.effect(
    "the operator reads that the owner gets a mail only when SMTP_URL is set, at the request and the removal",
    () =>
      Effect.gen(function* () {
        const account = yield* createAccount({ email, password, roles: [] })
        yield* beginCodeApp(account)
        const secret = Option.getOrThrow(yield* pendingCodeApp(account))
        yield* confirmCodeApp(account, MemoryAuthenticators.code(secret, OneTimeCode.stepAt(yield* Timestamp.now)))
        const command = { _tag: "RemoveFactor", account: email } as const
        const unsent =
          "SMTP_URL is not set: the owner gets a mail about it only if a server or worker with SMTP_URL runs within " +
          "seven days."
        const asked = yield* outputOf(command, false)
        expect([asked.includes(unsent), asked.includes("The owner gets a mail")]).toEqual([true, false])
        yield* TestClock.adjust(72 * Timestamp.HOUR)
        const removed = yield* outputOf(command, false)
        expect([removed.includes(unsent), removed.includes("The owner gets a mail")]).toEqual([true, false])
      }).pipe(Effect.provide(stores))
  )
})

describe("account show [factors-7]", () => {
  it.effect("tells the second factors, and a removal while it can be stopped or carried out; never a secret", () =>
    Effect.gen(function* () {
      const account = yield* createAccount({ email, password, roles: [] })
      const show = { _tag: "Show", account: email } as const
      const report = Effect.map(run(show), ({ line, sentences }) => ({
        line: [line["second_factor"], line["factor_removal"]],
        sentences: sentences.filter((one) => /factor|Address/.test(one))
      }))
      expect(yield* report).toEqual({
        line: [{ passkeys: 0, code_app: false, recovery_codes_left: 0 }, null],
        sentences: ["Address: confirmed 1 January 1970 at 00:00 UTC", "Second factor: none"]
      })
      yield* beginCodeApp(account)
      const secret = Option.getOrThrow(yield* pendingCodeApp(account))
      expect((yield* report).sentences[1]).toBe("Second factor: none")
      yield* confirmCodeApp(account, MemoryAuthenticators.code(secret, OneTimeCode.stepAt(yield* Timestamp.now)))
      expect((yield* report).sentences[1]).toBe("Second factor: an app for one-time codes, 10 recovery codes left")
      expect(JSON.stringify(yield* run(show))).not.toContain(secret)

      yield* run({ _tag: "RemoveFactor", account: email })
      const removal = {
        requested_at: "1970-01-01T00:00:00.000Z",
        opens_at: "1970-01-04T00:00:00.000Z",
        ends_at: "1970-01-11T00:00:00.000Z"
      }
      expect((yield* report).line[1]).toEqual(removal)
      expect((yield* report).sentences[2]).toBe(
        'Removal of the second factor: asked for 1 January 1970 at 00:00 UTC; "account remove-factor" does it from ' +
          "4 January 1970 at 00:00 UTC until 11 January 1970 at 00:00 UTC"
      )
      yield* TestClock.adjust(10 * Timestamp.DAY - 1)
      expect((yield* report).line[1]).toEqual(removal)
      yield* TestClock.adjust(1)
      expect((yield* report).line[1]).toBeNull()
    }).pipe(Effect.provide(stores))
  )
})

describe("account show of a suspended account [staff-1]", () => {
  it.effect("lists the browsers that a resume signs in again, until the account is signed out", () =>
    Effect.gen(function* () {
      yield* createAccount({ email, password, roles: [] })
      const { cookie } = yield* signIn({ email, password, address: "203.0.113.7" })
      const show = { _tag: "Show", account: email } as const
      const sessions = Effect.map(run(show), ({ line, sentences }) => ({
        count: (line["sessions"] as ReadonlyArray<unknown>).length,
        sentence: sentences.find((one) => /^Signed in|signs in/.test(one))
      }))
      expect(yield* sessions).toEqual({ count: 1, sentence: "Signed in: 1 browser" })
      expect(yield* outputOf({ _tag: "Suspend", account: email })).toContain(
        `Was it taken over? Before you resume it: npm start -- account end-sessions ${email}`
      )
      expect(Option.isNone(yield* authenticateSession(cookie))).toBe(true)
      expect(yield* sessions).toEqual({ count: 1, sentence: "A resume signs in again: 1 browser" })
      expect(yield* outputOf({ _tag: "EndSessions", account: email })).toBe(`Signed ${email} out of 1 browser.`)
      expect(yield* sessions).toEqual({ count: 0, sentence: "A resume signs in again: no browser" })
      yield* run({ _tag: "Resume", account: email })
      expect(Option.isNone(yield* authenticateSession(cookie))).toBe(true)
    }).pipe(Effect.provide(stores))
  )
})

describe("account confirm and create [staff-4, staff-5]", () => {
  it.effect("confirm: once, with a mail and an event; an address without an account stays without one", () =>
    Effect.gen(function* () {
      const { id } = yield* signUp({ email, password }, "open")
      for (const _ of [1, 2])
        expect(yield* outputOf({ _tag: "Confirm", account: email })).toContain(`${email} is confirmed`)
      const account = Option.getOrThrow(yield* (yield* AccountStore).find(id))
      expect(account.confirmedAt).toBe(yield* Timestamp.now)
      expect(yield* events).toEqual([
        ["Operator", "address_confirmed"],
        ["Owner", "account_made"]
      ])
      expect(yield* subjects).toEqual(["Your e-mail address is confirmed"])
      const other = Account.Email.make("nobody@example.com")
      expect(yield* outputOf({ _tag: "Confirm", account: other })).toBe(
        `${other} has no account here. Nothing was changed.`
      )
    }).pipe(Effect.provide(stores))
  )

  it.effect("create: what the server answers has no password", () =>
    Effect.gen(function* () {
      const command = { _tag: "Create", email, roles: ["admin"], password } as const
      const output = yield* run(command)
      expect(output.sentences).toEqual([`Made an account for ${email}: admin.`])
      expect(JSON.stringify(output)).not.toContain(password)
      expect(yield* outputOf(command)).toBe(`${email} has an account already. Nothing was changed.`)
      expect(
        yield* outputOf({
          ...command,
          email: Account.Email.make("b@example.com"),
          password: Account.Password.make("password12")
        })
      ).toMatch(/^The password is one of/)
    }).pipe(Effect.provide(stores))
  )
})

describe("an account that lost its unconfirmed address is reached by its id [accounts-12, staff-2]", () => {
  const released = Effect.gen(function* () {
    const account = yield* signUp({ email, password }, "open")
    const { accounts } = yield* MemoryDatabase
    const stored = Option.getOrThrow(Option.fromNullable(accounts.get(account.id)))
    accounts.set(account.id, { ...stored, account: { ...account, email: SignUpRequest.releasedEmail(account.id) } })
    return account
  })

  it.effect("all commands work, and their answers name the account by the id that the operator typed", () =>
    Effect.gen(function* () {
      const { id } = yield* released
      const output = (command: AccountCommand) => Effect.map(outputOf(command), (text) => text.split("\n")[0])
      expect(yield* outputOf({ _tag: "Show", account: email })).toBe(
        `${email} has no account here. Nothing was changed.`
      )
      expect(yield* output({ _tag: "Show", account: id })).toContain(`(${id})`)
      expect(yield* output({ _tag: "EndSessions", account: id })).toBe(`${id} was signed in nowhere.`)
      expect(yield* output({ _tag: "RemoveFactor", account: id })).toBe(
        `${id} has no second factor. Nothing was changed.`
      )
      expect(yield* outputOf({ _tag: "Suspend", account: id })).toContain(`npm start -- account resume ${id}`)
      expect(yield* output({ _tag: "Resume", account: id })).toBe(`${id} works again, with everything that it had.`)
      expect(yield* output({ _tag: "Role", account: id, role: "developer", isGiven: true })).toBe(
        `Roles of ${id}: developer.`
      )
      expect(yield* output({ _tag: "Delete", account: id })).toContain(`Deleted the account of ${id}.`)
      expect(yield* outputOf({ _tag: "Show", account: id })).toBe(
        `There is no account with the id ${id}. Nothing was changed.`
      )
    }).pipe(Effect.provide(stores))
  )

  it.effect("list, show and the answers to changes say that it has no address, and do not have the placeholder", () =>
    Effect.gen(function* () {
      const { displayName, id } = yield* released
      const read = [
        [yield* run({ _tag: "List" }), `no address  ${id}  none, a plain user`],
        [yield* run({ _tag: "Show", account: id }), `${displayName}, no address (${id})`],
        [yield* run({ _tag: "Show", account: id }), "Address: none"],
        [yield* run({ _tag: "Suspend", account: id }), `${id} is suspended`]
      ] as const
      for (const [{ line, sentences }, sentence] of read) {
        expect(sentences.join("\n")).toContain(sentence)
        expect(JSON.stringify([line, sentences])).not.toMatch(/account\.invalid/i)
      }
      expect(read[0][0].line).toMatchObject({ accounts: [{ id, email: null }] })
      expect(read[1][0].line).toMatchObject({ id, email: null })
    }).pipe(Effect.provide(stores))
  )

  it.effect("confirm and reset-link are refused: the account has no address, and the answer says how to set one", () =>
    Effect.gen(function* () {
      const { id } = yield* released
      for (const _tag of ["Confirm", "ResetLink"] as const) {
        expect(yield* outputOf({ _tag, account: id })).toBe(
          `${id}: the account has no e-mail address, because somebody else confirmed it. Nothing was changed. ` +
            `To give it another one: npm start -- account address ${id} EMAIL`
        )
      }
      expect(Option.getOrThrow(yield* (yield* AccountStore).find(id)).confirmedAt).toBeNull()
      expect((yield* events).map(([, kind]) => kind)).not.toContain("reset_link_made")
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "address: gives it a confirmed address, with an event and a mail; then a link sets the password [staff-9]",
    () =>
      Effect.gen(function* () {
        const { id } = yield* released
        const other = Account.Email.make("ada@elsewhere.example")
        const address = { _tag: "Address", account: id, email: other } as const
        expect(yield* outputOf(address)).toContain(`${id} has the address ${other} now`)
        expect(yield* events).toContainEqual(["Operator", "address_confirmed"])
        expect(yield* subjects).toEqual(["Your e-mail address is confirmed"])
        expect(yield* outputOf({ _tag: "ResetLink", account: other })).toContain(`With this link ${other} sets`)
        expect(yield* outputOf({ ...address, email })).toBe(
          `${id} has a confirmed address, which its owner changes in the settings. Nothing was changed.`
        )
      }).pipe(Effect.provide(stores))
  )

  it.effect(
    "address: never takes the address of another account, confirmed or not, and names that account [staff-9]",
    () =>
      Effect.gen(function* () {
        const { id } = yield* released
        const taken = Account.Email.make("ben@example.com")
        const { id: holder } = yield* signUp({ email: taken, password }, "open")
        const address = { _tag: "Address", account: id, email: taken } as const
        expect(yield* outputOf(address)).toBe(
          `${taken} is the address of another account, ${holder}. Nothing was changed. Give that account another ` +
            `address, or delete it, first: npm start -- account address ${holder} EMAIL`
        )
        expect((yield* events).map(([, kind]) => kind)).not.toContain("address_confirmed")
        expect(yield* outputOf({ ...address, account: holder })).toContain(`${holder} has the address ${taken} now`)
        expect(yield* outputOf(address)).toBe(
          `${taken} is the address of another account, ${holder}, which has confirmed it. Nothing was changed.`
        )
        expect(Option.getOrThrow(yield* (yield* AccountStore).find(holder)).email).toBe(taken)
      }).pipe(Effect.provide(stores))
  )
})

describe("a test person, and the placeholder for deleted accounts [staff-2, test-people-1]", () => {
  it.effect("no command finds them, so neither gets a role or an address", () =>
    Effect.gen(function* () {
      const { accounts } = yield* MemoryDatabase
      const testPerson = { ...AccountDeletion.NOBODY, id: UserId.make("usr_robin"), testOf: AppId.make("app_1") }
      for (const account of [testPerson, AccountDeletion.NOBODY]) {
        const { id } = account
        accounts.set(id, { account, passwordHash: "", passwordVersion: 0 })
        const commands: ReadonlyArray<AccountCommand> = [
          { _tag: "Show", account: id },
          { _tag: "Role", account: id, role: "admin", isGiven: true },
          { _tag: "Address", account: id, email },
          { _tag: "Confirm", account: id },
          { _tag: "Suspend", account: id },
          { _tag: "EndSessions", account: id },
          { _tag: "Delete", account: id }
        ]
        for (const command of commands) {
          expect([command._tag, yield* outputOf(command)]).toEqual([
            command._tag,
            `There is no account with the id ${id}. Nothing was changed.`
          ])
        }
        expect(accounts.get(id)?.account).toEqual(account)
      }
    }).pipe(Effect.provide(stores))
  )
})
