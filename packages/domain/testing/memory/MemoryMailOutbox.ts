import { Effect, Layer, Struct } from "effect"
import type { MailMessage } from "../../src/mail/Mail.js"
import { MailOutbox } from "../../src/mail/MailOutbox.js"
import * as NamedMail from "../../src/mail/NamedMail.js"
import type { Timestamp } from "../../src/shared/Timestamp.js"
import { bucketOf } from "./leases/buckets.js"
import { MemoryDatabase, type Tables } from "./MemoryDatabase.js"

const keyOf = ({ dedupeKey, to }: Pick<MailMessage, "to" | "dedupeKey">): string => `${to} ${dedupeKey}`

/** The sort key among messages that are due at the same time. */
const placeOf = ({ dedupeKey, to }: MailMessage): string => `${dedupeKey} ${to}`

/** Whether the message waits to be sent. */
export const isOpen = ({ givenUpAt, sentAt }: MapValue<Tables["mailStates"]>): boolean =>
  sentAt === null && givenUpAt === null

type MapValue<M> = M extends Map<unknown, infer V> ? V : never

/**
 * Queues a message, unless the outbox already has a message to the recipient with the same dedupe key. `NamedMail`
 * limits the messages that name an app. A store calls this function in the same synchronous step as the change that the
 * message reports.
 */
export const queue = ({ mail, mailStates, namedMail }: Tables, given: MailMessage, now: Timestamp): void => {
  if (mail.has(keyOf(given))) return
  const { count, message } = NamedMail.decide(namedMail.get(given.to) ?? NamedMail.none, given, now)
  if (given.naming !== undefined) namedMail.set(given.to, count)
  if (message === null) return
  const key = keyOf(message)
  mail.set(key, message)
  mailStates.set(key, { createdAt: now, dueAt: now, attempts: 0, sentAt: null, givenUpAt: null, lastError: null })
}

export const layer: Layer.Layer<MailOutbox, never, MemoryDatabase> = Layer.effect(
  MailOutbox,
  Effect.map(MemoryDatabase, (tables) => {
    const { mail, mailStates } = tables
    const all = () =>
      [...mail].flatMap(([key, message]) => {
        const state = mailStates.get(key)
        return state === undefined ? [] : [{ key, message, state }]
      })

    return MailOutbox.of({
      put: (message, now) => Effect.sync(() => queue(tables, message, now)),
      due: (buckets, limit, now) =>
        Effect.sync(() =>
          all()
            .filter(
              ({ message, state }) => isOpen(state) && state.dueAt <= now && buckets.includes(bucketOf(message.to))
            )
            .sort((a, b) => a.state.dueAt - b.state.dueAt || (placeOf(a.message) < placeOf(b.message) ? -1 : 1))
            .slice(0, limit)
            .map(({ message, state }) => ({ message, createdAt: state.createdAt, attempt: state.attempts + 1 }))
        ),
      begin: ({ attempt, message }, dueAt) =>
        Effect.sync(() => {
          const state = mailStates.get(keyOf(message))
          if (state === undefined || !isOpen(state) || state.attempts !== attempt - 1) return false
          mailStates.set(keyOf(message), { ...state, attempts: attempt, dueAt })
          return true
        }),
      finish: ({ attempt, message }, how) =>
        Effect.sync(() => {
          const state = mailStates.get(keyOf(message))
          const kept = mail.get(keyOf(message))
          if (kept === undefined || state?.attempts !== attempt || !isOpen(state)) return false
          if (how._tag !== "Retry") mail.set(keyOf(message), Struct.omit(kept, "address", "secret"))
          mailStates.set(keyOf(message), {
            ...state,
            ...(how._tag === "Sent"
              ? { sentAt: how.at }
              : how._tag === "Retry"
                ? { dueAt: how.dueAt, lastError: how.reason }
                : { givenUpAt: how.at, lastError: how.reason })
          })
          return true
        }),
      recent: (limit) =>
        Effect.sync(() =>
          all()
            .sort((a, b) => b.state.createdAt - a.state.createdAt)
            .slice(0, limit)
            .map(({ message, state: { attempts, createdAt, givenUpAt, lastError, sentAt } }) => ({
              message,
              attempts,
              createdAt,
              givenUpAt,
              lastError,
              sentAt
            }))
        )
    })
  })
)
