// The numbers of the whole service that admins read. Decision staff-6.
import { Context } from "effect"
import type { AppStatus } from "../apps/App.js"
import type { StoreEffect, Timestamp } from "../shared/index.js"

/** The queues that workers empty. */
export const QUEUES = ["outbox", "deliveries", "mail", "imports"] as const
export type QueueName = (typeof QUEUES)[number]

/**
 * The rows of a queue that are due and wait for a worker. In the queue `mail`, a message whose last attempt failed also
 * counts while it waits for its next attempt.
 */
export interface QueueBacklog {
  readonly queue: QueueName
  /** The number of rows that are due and wait, counted up to `COUNTED_MAX`. */
  readonly rows: number
  /**
   * The earliest time of the counted rows. The time of a row is when it became due; of a mail, when it was written; of
   * an import, when it was uploaded. Null when nothing waits.
   */
  readonly oldestDueAt: Timestamp.Timestamp | null
}

export interface ServiceCounts {
  /** Accounts of people, up to `COUNTED_MAX`. Test people do not count (decision test-people-3). */
  readonly accounts: number
  /** How many of the counted accounts were created at the time `since` of `ServiceStore.counts`, or later. */
  readonly newAccounts: number
  readonly suspendedAccounts: number
  /** Apps that are not revoked, by status; up to `COUNTED_MAX` are counted. */
  readonly apps: Readonly<Record<AppStatus, number>>
  /** One entry for each queue, in the order of `QUEUES`. */
  readonly backlog: ReadonlyArray<QueueBacklog>
  /** The number of workers whose last heartbeat has not expired. */
  readonly workers: number
}

/**
 * Rows beyond this number are not counted: otherwise the database would read a whole table for one number on a page.
 */
export const COUNTED_MAX = 100_000

/**
 * `readService` reads at most this many of the newest volume flags, and of the newest leaks, and counts those of the
 * last seven days.
 */
export const WARNINGS_MAX = 100

/** The numbers of the whole service. Each number comes from a bounded query. */
export class ServiceStore extends Context.Tag("@place-access/domain/staff/ServiceStore")<
  ServiceStore,
  {
    readonly counts: (now: Timestamp.Timestamp, since: Timestamp.Timestamp) => StoreEffect<ServiceCounts>
  }
>() {}
