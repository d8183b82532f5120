import { Effect, Option } from "effect"
import { announceAudit, type AuditEvent } from "../audit/index.js"
import { Entropy, NotFound, program, type SessionId, Timestamp, type UserId, Vault } from "../shared/index.js"
import { isPerson } from "./Account.js"
import { AccountStore } from "./AccountStore.js"
import * as Session from "./Session.js"

/**
 * The account of the cookie's session. None when the cookie is malformed or unknown, when the session is over, when the
 * account is suspended, and when the account does not belong to a person (`isPerson`). The program renews the session,
 * at most once an hour. When the renewal cannot be stored, the session is still valid.
 */
export const authenticateSession = program("authenticateSession", function* (cookie: string) {
  if (!Entropy.isSecret(cookie)) return Option.none()
  const accounts = yield* AccountStore
  const now = yield* Timestamp.now
  const live = yield* accounts.findSession((yield* Vault.Vault).sha256(cookie), now)
  const found = Option.filter(live, ({ account }) => isPerson(account))
  const renewed = Option.isSome(found) ? Session.renewed(found.value.session, now) : undefined
  if (renewed !== undefined) {
    yield* Effect.catchAll(accounts.renewSession(renewed), (error) =>
      Effect.logWarning("A session could not be renewed", error)
    )
  }
  return Option.map(found, ({ account }) => account)
})

/** Ends the session of this cookie. Idempotent: an unknown cookie changes nothing. */
export const signOut = program("signOut", function* (cookie: string) {
  if (!Entropy.isSecret(cookie)) return
  const accounts = yield* AccountStore
  yield* accounts.closeSession((yield* Vault.Vault).sha256(cookie))
})

/** A session in its owner's list. */
export interface ListedSession {
  readonly id: SessionId
  readonly session: Session.Session
  /** True for the session of the browser that shows the list. */
  readonly isCurrent: boolean
}

/**
 * The browsers in which this account is signed in, the last used first. `cookie`: the cookie of the browser that shows
 * the list.
 */
export const listSessions = program("listSessions", function* (userId: UserId, cookie: string) {
  const current = (yield* Vault.Vault).sha256(cookie)
  const sessions = yield* (yield* AccountStore).listSessions(userId, yield* Timestamp.now)
  return sessions.map((session): ListedSession => ({
    id: Session.idOf(session),
    session,
    isCurrent: session.hash === current
  }))
})

/**
 * Ends a session of the account, which may be the session of the browser that sends the request. Fails with `NotFound`
 * when the account has no live session with this id.
 */
export const endSession = program("endSession", function* (userId: UserId, id: SessionId) {
  const accounts = yield* AccountStore
  const sessions = yield* accounts.listSessions(userId, yield* Timestamp.now)
  const session = sessions.find((one) => Session.idOf(one) === id)
  if (session === undefined) return yield* new NotFound({ what: "session" })
  yield* accounts.closeSession(session.hash)
})

/**
 * Signs out every browser of the account except the browser with this cookie. Returns how many browsers it signed out.
 */
export const endOtherSessions = program("endOtherSessions", function* (userId: UserId, cookie: string) {
  const kept = (yield* Vault.Vault).sha256(cookie)
  return yield* (yield* AccountStore).closeOtherSessions(userId, kept, yield* Timestamp.now)
})

/**
 * The live sessions of this account, the last used first, for an operator. The list has the sessions of a suspended
 * account too, because they are valid again when the suspension ends.
 */
export const listSessionsOf = program("listSessionsOf", function* (userId: UserId) {
  return yield* (yield* AccountStore).listSessions(userId, yield* Timestamp.now)
})

/** Signs every browser of this account out, for an operator or an admin. Returns how many browsers it signed out. */
export const endAllSessions = program("endAllSessions", function* (userId: UserId, actor: AuditEvent.AuditActor) {
  const at = yield* Timestamp.now
  const event = (count: number): AuditEvent.AuditEvent => ({
    at,
    userId,
    actor,
    detail: { kind: "sessions_ended", count }
  })
  const count = yield* (yield* AccountStore).closeOtherSessions(userId, null, at, event)
  yield* announceAudit(event(count))
  return count
})
