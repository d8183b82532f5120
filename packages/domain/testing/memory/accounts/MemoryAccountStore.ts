import { Effect, Layer, Option } from "effect"
import * as Account from "../../../src/accounts/Account.js"
import { AccountStore } from "../../../src/accounts/AccountStore.js"
import * as Session from "../../../src/accounts/Session.js"
import { type CountedTry, WINDOW } from "../../../src/accounts/SignInThrottle.js"
import { Conflict } from "../../../src/shared/Errors.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase } from "../MemoryDatabase.js"

export const layer: Layer.Layer<AccountStore, never, MemoryDatabase> = Layer.effect(
  AccountStore,
  Effect.map(MemoryDatabase, ({ accounts, historyChoices, sessions, signInTries }) => {
    /** The account of a session that counts. */
    const ownerOf = (session: Session.Session, now: Timestamp.Timestamp): Account.Account | undefined => {
      const credentials = accounts.get(session.userId)
      return Session.isLive(session, now) && credentials?.passwordVersion === session.passwordVersion
        ? credentials.account
        : undefined
    }
    return AccountStore.of({
      create: (account, passwordHash, keep) =>
        Effect.suspend(() => {
          for (const { account: other } of accounts.values()) {
            if (other.email === account.email) return new Conflict({ reason: Account.EMAIL_TAKEN })
          }
          accounts.set(account.id, { account, passwordHash, passwordVersion: 0 })
          if (keep !== undefined) historyChoices.set(account.id, keep)
          return Effect.void
        }),
      find: (id) => Effect.sync(() => Option.map(Option.fromNullable(accounts.get(id)), ({ account }) => account)),
      findByEmail: (email) =>
        Effect.sync(() =>
          Option.fromNullable([...accounts.values()].find((credentials) => credentials.account.email === email))
        ),
      addRoles: (id, roles) =>
        Effect.sync(() => {
          const credentials = accounts.get(id)
          if (credentials === undefined) return Option.none()
          const account = Account.withRoles(credentials.account, roles)
          accounts.set(id, { ...credentials, account })
          return Option.some(account)
        }),

      openSession: (session) => Effect.sync(() => void sessions.set(session.hash, session)),
      findSession: (hash, now) =>
        Effect.sync(() => {
          const session = sessions.get(hash)
          const account = session === undefined ? undefined : ownerOf(session, now)
          return session === undefined || account === undefined ? Option.none() : Option.some({ account, session })
        }),
      renewSession: ({ expiresAt, hash, seenAt }) =>
        Effect.sync(() => {
          const session = sessions.get(hash)
          if (session !== undefined) sessions.set(hash, { ...session, seenAt, expiresAt })
        }),
      listSessions: (id, now) =>
        Effect.sync(() =>
          [...sessions.values()]
            .filter((session) => ownerOf(session, now)?.id === id)
            .sort((a, b) => b.seenAt - a.seenAt || (a.hash < b.hash ? -1 : 1))
        ),
      closeSession: (hash) => Effect.sync(() => void sessions.delete(hash)),
      closeOtherSessions: (id, kept) =>
        Effect.sync(() => {
          const others = [...sessions.values()].filter(({ hash, userId }) => userId === id && hash !== kept)
          for (const { hash } of others) sessions.delete(hash)
          return others.length
        }),

      admitTry: (tried, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const recent = [...signInTries.values()].filter(({ at }) => now - at < WINDOW).sort((a, b) => a.at - b.at)
          const counted = ({ at, failed }: CountedTry): CountedTry => ({ at, failed })
          const verdict = decide(
            {
              ofAccount: recent.filter((one) => one.email === tried.email && !one.forgotten).map(counted),
              ofAddress: recent.filter((one) => one.address === tried.address).map(counted)
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
            if (one.email === tried.email && one.failed) signInTries.set(id, { ...one, forgotten: true })
          }
        })
    })
  })
)
