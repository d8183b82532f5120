// What admins read about the whole service. Decision staff-6.
import { Context } from "effect"
import type { AppStatus } from "../apps/App.js"
import type { StoreEffect, Timestamp } from "../shared/index.js"

/** The queues that workers empty. */
export const QUEUES = ["outbox", "deliveries", "mail", "imports"] as const
export type QueueName = (typeof QUEUES)[number]

/** What is due and waits for a worker. */
export interface QueueBacklog {
  readonly queue: QueueName
  /** Counted up to `COUNTED_MAX`. */
  readonly rows: number
  /** Since when the oldest row has been due; null when nothing waits. */
  readonly oldestDueAt: Timestamp.Timestamp | null
}

export interface ServiceCounts {
  /** Accounts of people, up to `COUNTED_MAX`. Test people do not count (decision test-people-3). */
  readonly accounts: number
  /** The counted accounts that were made at `since` or later. */
  readonly newAccounts: number
  readonly suspendedAccounts: number
  /** Apps that are not revoked, by status; up to `COUNTED_MAX` are counted. */
  readonly apps: Readonly<Record<AppStatus, number>>
  /** In the order of `QUEUES`. */
  readonly backlog: ReadonlyArray<QueueBacklog>
  /** The workers whose last beat has not run out. */
  readonly workers: number
}

/** Rows beyond this number are not counted, so that a number on a page never reads a whole table. */
export const COUNTED_MAX = 100_000

/** How many of the newest volume flags, and of the newest leaks, are read. */
export const WARNINGS_MAX = 100

/** Numbers of the whole service. Each is one bounded query. */
export class ServiceStore extends Context.Tag("@place-access/domain/staff/ServiceStore")<
  ServiceStore,
  {
    readonly counts: (now: Timestamp.Timestamp, since: Timestamp.Timestamp) => StoreEffect<ServiceCounts>
  }
>() {}
