import { Effect, Layer, Option } from "effect"
import { CredentialStore } from "../../../src/credentials/CredentialStore.js"
import * as Timestamp from "../../../src/shared/Timestamp.js"
import { MemoryDatabase } from "../MemoryDatabase.js"
import * as MemoryMailOutbox from "../MemoryMailOutbox.js"

export const layer: Layer.Layer<CredentialStore, never, MemoryDatabase> = Layer.effect(
  CredentialStore,
  Effect.map(MemoryDatabase, (tables) => {
    const { accountLinks, accounts, sessions, signInTries } = tables
    return CredentialStore.of({
      offerLink: (link, mail) =>
        Effect.sync(() => {
          if (accounts.get(link.userId)?.account.email !== link.email) return false
          accountLinks.set(link.hash, link)
          if (mail !== null) MemoryMailOutbox.queue(tables, mail, link.createdAt)
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
          const link = linkHash === null ? undefined : accountLinks.get(linkHash)
          const decided = decide(
            {
              account: credentials.account,
              passwordVersion: credentials.passwordVersion,
              link: link?.userId === userId ? link : null
            },
            now
          )
          if (decided === null) return false
          const passwordVersion = credentials.passwordVersion + 1
          accounts.set(userId, { ...credentials, passwordHash: decided.passwordHash, passwordVersion })
          for (const [hash, one] of sessions) {
            if (one.userId !== userId) continue
            if (hash === decided.keeps) sessions.set(hash, { ...one, passwordVersion })
            else sessions.delete(hash)
          }
          for (const [hash, one] of accountLinks) if (one.userId === userId) accountLinks.delete(hash)
          for (const [id, one] of signInTries) {
            if (one.email === credentials.account.email && one.failed) signInTries.set(id, { ...one, forgotten: true })
          }
          MemoryMailOutbox.queue(tables, decided.notice, now)
          return true
        })
    })
  })
)
