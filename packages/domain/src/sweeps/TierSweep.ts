// Decides what a sweep changes in one connection. Decisions tiers-3, tiers-4 and tiers-5.
import type { WithApp, Write } from "../connection/ConnectionStore.js"
import * as ConsentEntry from "../connection/ConsentEntry.js"
import * as Ending from "../connection/Ending.js"
import type { OutboxEvent, Payload } from "../events/Event.js"
import { type EventId, Scope } from "../shared/index.js"
import { plus, type Timestamp } from "../shared/Timestamp.js"
import * as SensitiveNotice from "../tiers/SensitiveNotice.js"
import * as Tier from "../tiers/Tier.js"
import type { Dated, Sweep } from "./TierStore.js"

export interface TierSweepOutcome {
  /** Whether the connection ends, because its standard tier has ended or its app was revoked. */
  readonly ended: boolean
  /** The notices that are sent to the app. */
  readonly notices: ReadonlyArray<SensitiveNotice.SensitiveNoticeKind>
}

/**
 * An event id for each kind of notice. The sweep makes the ids before it calls `decide`, because `decide` is a plain
 * function and cannot make random ids. The ids of notices that are not due stay unused.
 */
export type Ids = Readonly<Record<SensitiveNotice.SensitiveNoticeKind, EventId>>

/**
 * Acts on the dates that a connection has reached since its last sweep (Spec §3.1): sends notices to the app, removes
 * sensitive scopes after the grace period, and ends the connection. Answers to apps do not depend on the sweep, because
 * every request compares the dates with the present time.
 */
export const decide = (state: Dated, ids: Ids, now: Timestamp): Sweep<TierSweepOutcome> => {
  const { app, connection, from } = state
  const ending = Ending.ifOver(connection, app, now)
  if (ending.length > 0) return { outcome: { ended: true, notices: [] }, writes: ending, notices: [] }
  const expiresAt = connection.sensitiveExpiresAt
  const due = expiresAt === null ? [] : SensitiveNotice.due(expiresAt, from, now)
  const removed = due.some(({ kind }) => kind === "removed")
  const left = {
    heldScopes: connection.heldScopes.filter((scope) => !Scope.isSensitive(scope)),
    sensitiveExpiresAt: null,
    agreedScopes: connection.agreedScopes.filter((scope) => !Scope.isSensitive(scope))
  }
  const fresh = due.filter(({ kind }) => !wasSent(state, kind))
  return {
    outcome: { ended: false, notices: fresh.map(({ kind }) => kind) },
    writes: [
      ...fresh.map((moment): Write => ({ _tag: "Emit", event: event(state, moment, ids[moment.kind]) })),
      ...(removed
        ? ([
            { _tag: "SetScopes", ...left },
            { _tag: "Record", entry: ConsentEntry.of("exact_location_removed", { ...connection, ...left }, now) }
          ] as const)
        : []),
      {
        _tag: "LookAt",
        at:
          from > now ? from : SensitiveNotice.nextLook(removed ? { ...connection, ...left } : connection, plus(now, 1))
      }
    ],
    notices: expiresAt === null ? [] : fresh.map(({ kind }) => ({ expiresAt, kind }))
  }
}

/**
 * Whether the app has already got this notice. Normally `Dated.from` excludes the notices that earlier sweeps have
 * handled. Only after somebody has set the clock back can this check find a notice.
 */
const wasSent = ({ connection, notices }: Dated, kind: SensitiveNotice.SensitiveNoticeKind): boolean =>
  notices.some((notice) => notice.kind === kind && notice.expiresAt === connection.sensitiveExpiresAt)

const event = ({ connection }: WithApp, { at, kind }: SensitiveNotice.Moment, id: EventId): OutboxEvent => ({
  userId: connection.userId,
  id,
  connectionId: connection.id,
  appId: connection.appId,
  payload: payload(connection.sensitiveExpiresAt ?? at, kind, connection.heldScopes.filter(Scope.isSensitive)),
  // The event has the date of the notice as its time, even when the sweep runs late.
  occurredAt: at,
  webhookUrl: null,
  maxEventAgeS: null
})

const payload = (
  sensitiveExpiresAt: Timestamp,
  kind: SensitiveNotice.SensitiveNoticeKind,
  scopes: ReadonlyArray<Scope.SensitiveScope>
): Payload => {
  switch (kind) {
    case "expiring_14":
      return { type: "sensitive.expiring", sensitiveExpiresAt, daysLeft: 14, scopes }
    case "expiring_7":
      return { type: "sensitive.expiring", sensitiveExpiresAt, daysLeft: 7, scopes }
    case "lapsed":
      return {
        type: "sensitive.lapsed",
        sensitiveExpiresAt,
        renewalGraceEndsAt: Tier.graceEndsAt(sensitiveExpiresAt),
        scopes
      }
    case "removed":
      return { type: "sensitive.removed", scopes }
  }
}
