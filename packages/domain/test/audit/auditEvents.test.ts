import {
  Account,
  AccountStore,
  admitTry,
  changeName,
  createAccount,
  endAllSessions,
  recordFailure,
  type SignInThrottle,
  signIn,
  signUp
} from "@place-access/domain/accounts"
import { AuditEvent, AuditLog } from "@place-access/domain/audit"
import {
  changePassword,
  confirmSignUp,
  issueResetLink,
  requestSignUp,
  requestUnlock,
  resetPassword,
  useUnlock
} from "@place-access/domain/credentials"
import { listRecentMail } from "@place-access/domain/mail"
import { Timestamp, UserId, Vault } from "@place-access/domain/shared"
import {
  MemoryAccountStore,
  MemoryAuditLog,
  MemoryCredentialStore,
  MemoryDatabase,
  MemoryEntropy,
  MemoryLimitStore,
  MemoryMailOutbox,
  MemoryPasswordHasher,
  MemoryVault
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, type LogLevel, HashMap, Schema, TestClock } from "effect"

const stores = Layer.mergeAll(
  MemoryAccountStore.layer,
  MemoryAuditLog.layer,
  MemoryCredentialStore.layer,
  MemoryLimitStore.layer,
  MemoryMailOutbox.layer,
  MemoryPasswordHasher.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.merge(MemoryEntropy.layer, MemoryVault.layer))
)

const email = Account.Email.make("ada@example.com")
const password = Account.Password.make("correct horse battery")
const newPassword = Account.Password.make("purple monkey dishwasher")
const address = "203.0.113.7"
const right = { email, password, address, browser: "Firefox on Linux" }
const wrong = { ...right, password: "my mother's maiden name" }

const all = Effect.flatMap(AuditLog, (log) => Effect.map(log.list({}, 1_000, undefined), ({ items }) => items))
const details = Effect.map(all, (events) => events.map(({ detail }) => detail).toReversed())
const kinds = Effect.map(details, (found) => found.map(({ kind }) => kind))

/** The secret of the newest link to this page in the mail outbox. */
const mailed = (page: string) =>
  Effect.map(
    listRecentMail(100, { portal: "https://service.example/portal", service: "https://service.example" }),
    (all) => all.flatMap(({ text }) => new RegExp(`/${page}\\?token=(\\w+)`).exec(text)?.[1] ?? [])[0] ?? ""
  )

/** The log lines that a program writes, with their annotations, as JSON. */
const logged = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<{ readonly level: LogLevel.LogLevel; readonly text: string }> = []
    const logger = Logger.make(({ annotations, logLevel, message }) => {
      lines.push({
        level: logLevel,
        text: JSON.stringify([message, Object.fromEntries(HashMap.toEntries(annotations))])
      })
    })
    return Effect.as(Effect.provide(program, Logger.replace(Logger.defaultLogger, logger)), lines)
  })

describe("the audit log [audit-1]", () => {
  it.effect("sign-up, sign-in, a failure and a lock-out: each is one event, and the lock-out comes once", () =>
    Effect.gen(function* () {
      const { id } = yield* signUp({ email, password }, "open")
      yield* signIn(right)
      for (let index = 0; index < 7; index++) yield* Effect.either(signIn(wrong))
      const failed = { kind: "sign_in_failed", network: address }
      expect(yield* details).toEqual([
        { kind: "account_made", roles: [] },
        { kind: "sign_in", browser: "Firefox on Linux", network: address },
        ...Array.from({ length: 5 }, () => failed),
        { kind: "locked_out", scope: "account", network: address }
      ])
      expect((yield* all).map(({ actor, userId }) => [actor._tag, userId])).toEqual([
        ...Array.from({ length: 6 }, () => ["Stranger", id]),
        ["Owner", id],
        ["Owner", id]
      ])
      // After 15 minutes the earlier failures do not count, so one more failure does not lock the account.
      yield* TestClock.adjust(15 * Timestamp.MINUTE)
      yield* Effect.either(signIn(wrong))
      expect((yield* kinds).at(-1)).toBe("sign_in_failed")
    }).pipe(Effect.provide(stores))
  )

  it.effect("a failure after a success that cleared the earlier failures is no lock-out", () =>
    Effect.gen(function* () {
      const { id } = yield* signUp({ email, password }, "open")
      for (let index = 0; index < 3; index++) yield* Effect.either(signIn(wrong))
      const accounts = yield* AccountStore
      const tryOf = (id: string) => ({ id, email, address, browser: null })
      const [succeeds, fails] = [tryOf("try_1"), tryOf("try_2")]
      yield* admitTry(succeeds, "password")
      const fills = yield* admitTry(fails, "password")
      expect(fills).toEqual(["account"])
      yield* accounts.clearTries(succeeds)
      yield* accounts.failTry(fails.id)
      yield* recordFailure(id, fails, fills)
      expect(yield* kinds).not.toContain("locked_out")
    }).pipe(Effect.provide(stores))
  )

  it.effect("the record of a lock-out counts no further attempt", () =>
    Effect.gen(function* () {
      const { id } = yield* signUp({ email, password }, "open")
      for (let index = 0; index < 4; index++) yield* Effect.either(signIn(wrong))
      const accounts = yield* AccountStore
      const fails = { id: "try_1", email, address, browser: null }
      const fills = yield* admitTry(fails, "password")
      yield* accounts.failTry(fails.id)
      const counted = Effect.gen(function* () {
        let found: SignInThrottle.RecentTries | undefined
        yield* accounts.admitTry({ ...fails, id: "try_2" }, (recent) => {
          found = recent
          return { _tag: "Busy" }
        })
        return found
      })
      const before = yield* counted
      yield* TestClock.adjust(1_000)
      yield* recordFailure(id, fails, fills)
      expect(yield* kinds).toContain("locked_out")
      expect(yield* counted).toEqual(before)
      expect(before?.ofAccount).toHaveLength(5)
    }).pipe(Effect.provide(stores))
  )

  it.effect("fifty failures of one network address, at many e-mails: locked out once, and nobody is named", () =>
    Effect.gen(function* () {
      for (let index = 0; index < 60; index++) {
        yield* Effect.either(signIn({ ...wrong, email: Account.Email.make(`guess${index}@example.com`) }))
      }
      const events = yield* all
      expect(events.filter(({ detail }) => detail.kind === "sign_in_failed")).toHaveLength(50)
      const [locked, ...more] = events.filter(({ detail }) => detail.kind === "locked_out")
      expect([locked?.detail, more.length]).toEqual([{ kind: "locked_out", scope: "address", network: address }, 0])
      expect(events.every(({ userId }) => userId === null)).toBe(true)
      expect(JSON.stringify(events)).not.toContain("guess")
    }).pipe(Effect.provide(stores))
  )

  it.effect("what an operator and the owner do about a password; no event and no line has a secret [audit-2]", () =>
    Effect.gen(function* () {
      const secrets: Array<string> = []
      const lines = yield* logged(
        Effect.gen(function* () {
          const account = yield* createAccount({ email, password, roles: ["admin"] })
          const { cookie } = yield* signIn(right)
          const session = (yield* Vault.Vault).sha256(cookie)
          yield* Effect.either(signIn(wrong))
          yield* changePassword(account, { password, newPassword, address, session })
          const { secret } = yield* issueResetLink(email)
          yield* resetPassword(secret, password)
          yield* endAllSessions(account.id, AuditEvent.OPERATOR)
          secrets.push(cookie, session, secret, password, newPassword, wrong.password, email)
        })
      )
      expect(yield* kinds).toEqual([
        "account_made",
        "sign_in",
        "sign_in_failed",
        "password_changed",
        "reset_link_made",
        "password_changed",
        "sessions_ended"
      ])
      const audit = lines.filter(({ text }) => text.includes('"audit '))
      expect(audit).toHaveLength(7)
      const written = JSON.stringify([yield* all, lines])
      expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
    }).pipe(Effect.provide(stores))
  )

  it.effect("a change of the password is in the service's log, also of an account with a second factor", () =>
    Effect.gen(function* () {
      const account = yield* createAccount({ email, password, roles: [] })
      const { cookie } = yield* signIn(right)
      const session = (yield* Vault.Vault).sha256(cookie)
      const accounts = yield* AccountStore
      const withFactor = { ...accounts, hasFactor: () => Effect.succeed(true) }
      const lines = yield* logged(
        changePassword(account, { password, newPassword, address, session }).pipe(
          Effect.provideService(AccountStore, withFactor)
        )
      )
      expect(lines.filter(({ text }) => text.includes("audit password_changed"))).toHaveLength(1)
    }).pipe(Effect.provide(stores))
  )

  it.effect("an unlock link that is used and an account that is made by mail are each one event and one line", () =>
    Effect.gen(function* () {
      // The stores write these events in the same transaction as the change, so nothing calls the `AuditLog` port.
      const log = yield* AuditLog
      const broken = { ...log, append: () => Effect.die("the event is not in the transaction") }
      const made = Account.Email.make("new@example.com")
      const lines = yield* logged(
        Effect.gen(function* () {
          yield* requestSignUp({ email: made, password, address }, "open")
          yield* confirmSignUp(yield* mailed("confirm-sign-up"), password)
          yield* requestUnlock(made)
          yield* useUnlock(yield* mailed("unlock"), undefined)
        }).pipe(Effect.provideService(AuditLog, broken))
      )
      expect(yield* kinds).toEqual(["account_made", "unlocked"])
      expect(lines.filter(({ text }) => text.includes('"audit '))).toHaveLength(2)
    }).pipe(Effect.provide(stores))
  )

  it.effect("a new name is one event and one line, which contain neither name; the same again none [audit-2]", () =>
    Effect.gen(function* () {
      const { id } = yield* createAccount({ email, password, roles: [], displayName: Account.DisplayName.make("Old") })
      const name = Account.DisplayName.make("Brand New")
      const lines = yield* logged(Effect.zipRight(changeName(id, name), changeName(id, name)))
      expect(yield* kinds).toEqual(["account_made", "name_changed"])
      expect(lines.filter(({ text }) => text.includes("audit name_changed"))).toHaveLength(1)
      expect(JSON.stringify([yield* all, lines])).not.toMatch(/Old|Brand New/)
    }).pipe(Effect.provide(stores))
  )

  it.effect("an event that cannot be stored fails the attempt: nothing happens unrecorded", () =>
    Effect.gen(function* () {
      yield* createAccount({ email, password, roles: [] })
      const log = yield* AuditLog
      const broken = { ...log, append: () => Effect.die("the disk is full") }
      const exit = yield* Effect.exit(Effect.provideService(signIn(wrong), AuditLog, broken))
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
    }).pipe(Effect.provide(stores))
  )
})

describe("what an event may say [audit-2]", () => {
  it("no kind takes free text: only a browser and a network address are texts", () => {
    const isText = (schema: Schema.Schema.All): boolean =>
      schema === Schema.String || String(schema) === String(Schema.NullOr(Schema.String))
    const texts = AuditEvent.AuditDetail.members.flatMap((member) =>
      Object.entries(member.fields)
        .filter(([, field]) => isText(field))
        .map(([name]) => name)
    )
    expect([...new Set(texts)].sort()).toEqual(["browser", "network"])
  })

  it("attempts to sign in are kept for 90 days, everything else for 400 [audit-3]", () => {
    const at = Timestamp.make(0)
    const kept = (detail: AuditEvent.AuditDetail) =>
      AuditEvent.keptUntil({ at, userId: UserId.make("usr_1"), actor: AuditEvent.OWNER, detail }) / Timestamp.DAY
    expect(kept({ kind: "sign_in_failed", network: null })).toBe(90)
    expect(kept({ kind: "sign_in", browser: null, network: null })).toBe(90)
    expect(kept({ kind: "locked_out", scope: "account", network: null })).toBe(90)
    expect(kept({ kind: "role_given", role: "admin" })).toBe(400)
  })

  it("a line of the log names ids and the kind", () => {
    const line = AuditEvent.logLine({
      at: Timestamp.make(0),
      userId: UserId.make("usr_1"),
      actor: AuditEvent.actorOf(UserId.make("usr_2"), UserId.make("usr_1")),
      detail: { kind: "role_given", role: "admin" }
    })
    expect(line).toEqual({
      audit: "role_given",
      account: "usr_1",
      actor: "staff",
      actor_id: "usr_2",
      at: "1970-01-01T00:00:00.000Z",
      role: "admin"
    })
  })
})
