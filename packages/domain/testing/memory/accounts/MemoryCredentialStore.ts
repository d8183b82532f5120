import { Effect, Layer, Option } from "effect"
import type { Email } from "../../../src/accounts/Account.js"
import type { AccountCredentials } from "../../../src/accounts/AccountStore.js"
import { type AccountLink, outlivesPassword } from "../../../src/credentials/AccountLink.js"
import { CredentialStore } from "../../../src/credentials/CredentialStore.js"
import { releasedEmail } from "../../../src/credentials/SignUpRequest.js"
import { NONE } from "../../../src/factors/Factors.js"
import type { UserId } from "../../../src/shared/Ids.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import type { Hash } from "../../../src/shared/Vault.js"
import { MemoryDatabase, type Tables } from "../MemoryDatabase.js"
import * as MemoryAuditLog from "../MemoryAuditLog.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

export const layer: Layer.Layer<CredentialStore, never, MemoryDatabase> = Layer.effect(
  CredentialStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accountLinks, accounts, addressVersions, historyChoices, pendingAccounts } = tables
    const linkOf = (userId: UserId, hash: Hash | null): AccountLink | null => {
      const link = hash === null ? undefined : accountLinks.get(hash)
      return link?.userId === userId ? link : null
    }
    return CredentialStore.of({
      offerLink: (link, mail, audit) =>
        Effect.sync(() => {
          if (accounts.get(link.userId)?.account.email !== link.email) return false
          if (accountLinks.has(link.hash)) return true
          accountLinks.set(link.hash, link)
          if (mail !== null) MemoryMailOutbox.queue(tables, mail, link.createdAt)
          if (audit !== undefined) MemoryAuditLog.append(tables, audit)
          return true
        }),
      findLink: (hash) =>
        Effect.sync(() => {
          const link = accountLinks.get(hash)
          const account = link === undefined ? undefined : accounts.get(link.userId)?.account
          return link === undefined || account === undefined ? Option.none() : Option.some({ link, account })
        }),
      replacePassword: (userId, linkHash, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const credentials = accounts.get(userId)
          if (credentials === undefined) return false
          const { account, passwordVersion } = credentials
          const decided = decide({ account, passwordVersion, link: linkOf(userId, linkHash) }, now)
          if (decided === null) return false
          replacePassword(tables, credentials, decided.passwordHash, decided.keeps)
          for (const [hash, one] of accountLinks) {
            if (one.userId === userId && !outlivesPassword(one)) accountLinks.delete(hash)
          }
          MemoryAuditLog.append(tables, decided.audit)
          MemoryMailOutbox.queue(tables, decided.notice, now)
          return true
        }),

      replaceAddress: (userId, linkHash, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const credentials = accounts.get(userId)
          if (credentials === undefined) return "Refused"
          const { account, passwordVersion } = credentials
          const addressVersion = addressVersions.get(userId) ?? 0
          const factors = tables.factors.get(userId) ?? NONE
          const link = linkOf(userId, linkHash)
          const decided = decide({ account, passwordVersion, addressVersion, factors, link }, now)
          if (decided === null) return "Refused"
          const { confirmedAt, email } = decided
          if (confirmedAt !== null) release(tables, email, userId)
          if ([...accounts.values()].some((one) => one.account.email === email && one.account.id !== userId)) {
            return "Taken"
          }
          const after = { ...credentials, account: { ...account, email, confirmedAt } }
          accounts.set(userId, after)
          addressVersions.set(userId, addressVersion + 1)
          if (decided.passwordHash !== null) replacePassword(tables, after, decided.passwordHash, null)
          for (const [hash, one] of accountLinks) {
            const stays = one.purpose === "address_undo" && one.addressVersion < decided.keepsUndoBelow
            if (one.userId === userId && !stays) accountLinks.delete(hash)
          }
          if (decided.undo !== null) accountLinks.set(decided.undo.hash, decided.undo)
          tables.factors.set(userId, decided.factors)
          for (const event of decided.audit) MemoryAuditLog.append(tables, event)
          for (const mail of decided.mails) MemoryMailOutbox.queue(tables, mail, now)
          return "Replaced"
        }),
      useLink: (userId, hash, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const credentials = accounts.get(userId)
          if (credentials === undefined) return false
          const { account, passwordVersion } = credentials
          const audit = decide({ account, passwordVersion, link: linkOf(userId, hash) }, now)
          if (audit === null || !accountLinks.delete(hash)) return false
          MemoryAuditLog.append(tables, audit)
          return true
        }),

      requestSignUp: (request, mail) =>
        Effect.sync(() => {
          pendingAccounts.set(request.hash, request)
          MemoryMailOutbox.queue(tables, mail, request.createdAt)
        }),
      findSignUp: (hash) => Effect.sync(() => Option.fromNullable(pendingAccounts.get(hash))),
      newestSignUp: (email, now, userId) =>
        Effect.sync(() =>
          Option.fromNullable(
            [...pendingAccounts.values()]
              .filter((one) => one.email === email && now < one.expiresAt && one.userId === (userId ?? one.userId))
              .sort((a, b) => b.createdAt - a.createdAt || (a.hash < b.hash ? -1 : 1))[0]
          )
        ),
      confirmSignUp: (hash, decide) =>
        Effect.map(Timestamp.now, (now) => {
          const request = pendingAccounts.get(hash)
          const confirmed = request === undefined ? null : decide(request, now)
          if (request === undefined || confirmed === null) return "Refused"
          const { account, audit } = confirmed
          for (const [key, one] of pendingAccounts) if (one.email === request.email) pendingAccounts.delete(key)
          release(tables, account.email, account.id)
          if ([...accounts.values()].some((one) => one.account.email === account.email)) return "Taken"
          accounts.set(account.id, { account, passwordHash: request.passwordHash, passwordVersion: 0 })
          historyChoices.set(account.id, request.keep)
          MemoryAuditLog.append(tables, audit)
          return "Made"
        })
    })
  })
)

/** Takes the address `email` from every account that has not confirmed the address, except from the account `to`. */
export const release = ({ accounts }: Tables, email: Email, to: UserId): void => {
  for (const [id, one] of accounts) {
    if (one.account.email !== email || one.account.confirmedAt !== null || id === to) continue
    accounts.set(id, { ...one, account: { ...one.account, email: releasedEmail(id) } })
  }
}

const replacePassword = (
  { accounts, sessions, signInTries }: Tables,
  before: AccountCredentials,
  passwordHash: string,
  keeps: Hash | null
): void => {
  const { email, id: userId } = before.account
  const passwordVersion = before.passwordVersion + 1
  accounts.set(userId, { ...before, passwordHash, passwordVersion })
  for (const [hash, one] of sessions) {
    if (one.userId !== userId) continue
    if (hash === keeps) sessions.set(hash, { ...one, passwordVersion })
    else sessions.delete(hash)
  }
  for (const [id, one] of signInTries) {
    if (one.email === email && one.failed) signInTries.set(id, { ...one, forgotten: true })
  }
}
