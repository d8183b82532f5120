import { Effect, Layer, Option } from "effect"
import * as Account from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import { type CountedTry, WINDOW } from "../../../src/accounts/SignInThrottle.js"
import { isOn, NONE } from "../../../src/factors/Factors.js"
import { Conflict } from "../../../src/shared/Errors.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { bucketOf } from "../leases/buckets.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import { hasAnotherOfStaff } from "./anotherOfStaff.js"

export const layer: Layer.Layer<AccountStore, never, MemoryDatabase> = Layer.effect(
  AccountStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accounts, factors, historyChoices, noticeChoices, sessions, signInTries } = tables
    /**
     * The account that the session signs in. Undefined when the session has expired, when it has the `passwordVersion`
     * of an earlier password, or when the account was deleted. Does not check whether the account is suspended.
     */
    const ownerOf = (session: Session.Session, now: Timestamp.Timestamp): Account.Account | undefined => {
      const credentials = accounts.get(session.userId)
      return Session.isLive(session, now) && credentials?.passwordVersion === session.passwordVersion
        ? credentials.account
        : undefined
    }
    const update = (id: UserId, change: (account: Account.Account) => Partial<Account.Account>) =>
      Effect.sync(() => {
        const credentials = accounts.get(id)
        if (credentials === undefined) return
        accounts.set(id, { ...credentials, account: { ...credentials.account, ...change(credentials.account) } })
      })
    return AccountStore.of({
      changeName: (id, name, audit) =>
        Effect.suspend(() => {
          const present = accounts.get(id)?.account.displayName
          if (present === undefined || present === name) return Effect.succeed(false)
          MemoryAuditLog.append(tables, audit)
          return Effect.as(
            update(id, () => ({ displayName: name })),
            true
          )
        }),
      learnTimeZone: (id, name) => update(id, ({ timeZone }) => ({ timeZone: timeZone ?? name })),
      chooseTimeZone: (id, name) => update(id, () => ({ timeZone: name })),
      learnLanguage: (id, language) =>
        update(id, ({ browserLanguage }) => ({ browserLanguage: browserLanguage ?? language })),
      chooseLanguage: (id, language) => update(id, () => ({ language })),
      notices: (id) => Effect.sync(() => noticeChoices.get(id) ?? []),
      chooseNotices: (id, kinds) =>
        Effect.sync(() => {
          if (!accounts.has(id) || kinds.length === 0) noticeChoices.delete(id)
          else noticeChoices.set(id, kinds)
        }),
      listNotified: ({ after, buckets, limit }) =>
        Effect.sync(() =>
          [...noticeChoices]
            .map(([userId, kinds]) => ({ userId, kinds }))
            .filter(({ userId }) => accounts.has(userId) && (after === undefined || userId > after))
            .filter(({ userId }) => buckets.includes(bucketOf(userId)))
            .sort((a, b) => (a.userId < b.userId ? -1 : 1))
            .slice(0, limit)
        ),
      create: (account, passwordHash, keep, audit) =>
        Effect.suspend(() => {
          for (const { account: other } of accounts.values()) {
            if (other.email === account.email) return new Conflict({ reason: Account.EMAIL_TAKEN })
          }
          accounts.set(account.id, { account, passwordHash, passwordVersion: 0 })
          if (keep !== undefined) historyChoices.set(account.id, keep)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit)
          return Effect.void
        }),
      find: (id) => Effect.sync(() => Option.map(Option.fromNullable(accounts.get(id)), ({ account }) => account)),
      findByEmail: (email) =>
        Effect.sync(() =>
          Option.fromNullable([...accounts.values()].find((credentials) => credentials.account.email === email))
        ),
      hasAnother: (ids, roles) => Effect.sync(() => hasAnotherOfStaff(tables, ids, roles)),
      hasFactor: (id) => Effect.sync(() => isOn(factors.get(id) ?? NONE)),
      addRoles: (id, roles) =>
        Effect.sync(() => {
          const credentials = accounts.get(id)
          if (credentials === undefined) return Option.none()
          const account = Account.withRoles(credentials.account, roles)
          accounts.set(id, { ...credentials, account })
          return Option.some(account)
        }),

      openSession: (session, audit) =>
        Effect.sync(() => {
          if (!accounts.has(session.userId)) return
          const others = [...sessions.values()]
            .filter(({ userId }) => userId === session.userId)
            .sort((a, b) => b.seenAt - a.seenAt || (a.hash < b.hash ? -1 : 1))
          for (const { hash } of others.slice(Session.MOST - 1)) sessions.delete(hash)
          sessions.set(session.hash, session)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit)
        }),
      findSession: (hash, now) =>
        Effect.sync(() => {
          const session = sessions.get(hash)
          const account = session === undefined ? undefined : ownerOf(session, now)
          return session === undefined || account === undefined || account.suspendedAt !== null
            ? Option.none()
            : Option.some({ account, session })
        }),
      renewSession: ({ expiresAt, hash, seenAt }) =>
        Effect.sync(() => {
          const session = sessions.get(hash)
          if (session !== undefined) sessions.set(hash, { ...session, seenAt, expiresAt })
        }),
      confirmSession: ({ hash, passwordVersion }, confirmed) =>
        Effect.sync(() => {
          const session = sessions.get(hash)
          if (session?.passwordVersion !== passwordVersion) return false
          sessions.delete(hash)
          sessions.set(confirmed.hash, { ...session, ...confirmed })
          return true
        }),
      listSessions: (id, now) =>
        Effect.sync(() =>
          [...sessions.values()]
            .filter((session) => ownerOf(session, now)?.id === id)
            .sort((a, b) => b.seenAt - a.seenAt || (a.hash < b.hash ? -1 : 1))
        ),
      closeSession: (hash) => Effect.sync(() => void sessions.delete(hash)),
      closeOtherSessions: (id, kept, now, audit) =>
        Effect.sync(() => {
          const others = [...sessions.values()].filter(({ hash, userId }) => userId === id && hash !== kept)
          const version = accounts.get(id)?.passwordVersion
          const live = others.filter((one) => Session.isLive(one, now) && one.passwordVersion === version).length
          for (const { hash } of others) sessions.delete(hash)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit(live))
          return live
        }),

      admitTry: (tried, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const recent = [...signInTries.values()].filter(({ at }) => now - at < WINDOW).sort((a, b) => a.at - b.at)
          const strangers = recent.filter(({ browser }) => browser === null)
          const counted = ({ at, failed }: CountedTry): CountedTry => ({ at, failed })
          const verdict = decide(
            {
              ofAccount: strangers.filter((one) => one.email === tried.email && !one.forgotten).map(counted),
              ofAddress: strangers.filter((one) => one.address === tried.address).map(counted),
              ...(tried.browser === null
                ? {}
                : { ofBrowser: recent.filter((one) => one.browser === tried.browser && !one.forgotten).map(counted) })
            },
            now
          )
          if (verdict._tag === "Admitted") {
            signInTries.set(tried.id, { ...tried, at: now, failed: false, forgotten: false })
          }
          return verdict
        }),
      failTry: (id) =>
        Effect.sync(() => {
          const one = signInTries.get(id)
          if (one !== undefined) signInTries.set(id, { ...one, failed: true })
        }),
      clearTries: (tried) =>
        Effect.sync(() => {
          signInTries.delete(tried.id)
          for (const [id, one] of signInTries) {
            const isSame = tried.browser === null ? one.email === tried.email : true
            if (isSame && one.browser === tried.browser && one.failed) signInTries.set(id, { ...one, forgotten: true })
          }
        })
    })
  })
)
