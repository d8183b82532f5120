import type { WithApp, Write } from "../connection/ConnectionStore.js"
import * as Ending from "../connection/Ending.js"
import type { OutboxEvent, Payload } from "../events/Event.js"
import type { EventId } from "../shared/Ids.js"
import * as Scope from "../shared/Scope.js"
import { plus, type Timestamp } from "../shared/Timestamp.js"
import * as SensitiveNotice from "./SensitiveNotice.js"
import * as Tier from "./Tier.js"
import type { Dated, Sweep } from "./TierStore.js"

export interface Outcome {
  /** By its standard date, or because an admin revoked the app. */
  readonly ended: boolean
  /** What the app is told. */
  readonly told: ReadonlyArray<SensitiveNotice.Kind>
}

/** An id for each event that there might be. */
export type Ids = Readonly<Record<SensitiveNotice.Kind, EventId>>

/**
 * What became of a connection's dates since it was last looked at (Spec §3.1). Answers do not depend on it: they treat a date as
 * passed to the millisecond. It tells the app, takes off what is gone, and ends what has ended.
 */
export const decide = (state: Dated, ids: Ids, now: Timestamp): Sweep<Outcome> => {
  const { app, connection, from } = state
  const ending = app.revokedAt === null ? Ending.ifExpired(connection, now) : Ending.ifRevoked(connection, app)
  if (ending.length > 0) return { outcome: { ended: true, told: [] }, writes: ending, told: [] }
  const expiresAt = connection.sensitiveExpiresAt
  const due = expiresAt === null ? [] : SensitiveNotice.due(expiresAt, from, now)
  const removed = due.some(({ kind }) => kind === "removed")
  const left = {
    heldScopes: connection.heldScopes.filter((scope) => !Scope.isSensitive(scope)),
    sensitiveExpiresAt: null
  }
  const fresh = due.filter(({ kind }) => !wasTold(state, kind))
  return {
    outcome: { ended: false, told: fresh.map(({ kind }) => kind) },
    writes: [
      ...fresh.map((moment): Write => ({ _tag: "Emit", event: event(state, moment, ids[moment.kind]) })),
      ...(removed ? [{ _tag: "SetScopes", ...left } as const] : []),
      {
        _tag: "LookAt",
        at:
          from > now ? from : SensitiveNotice.nextLook(removed ? { ...connection, ...left } : connection, plus(now, 1))
      }
    ],
    told: expiresAt === null ? [] : fresh.map(({ kind }) => ({ expiresAt, kind }))
  }
}

/** Only after a clock went back: what is settled is settled by `from`. */
const wasTold = ({ connection, told }: Dated, kind: SensitiveNotice.Kind): boolean =>
  told.some((notice) => notice.kind === kind && notice.expiresAt === connection.sensitiveExpiresAt)

const event = ({ connection }: WithApp, { at, kind }: SensitiveNotice.Moment, id: EventId): OutboxEvent => ({
  userId: connection.userId,
  id,
  connectionId: connection.id,
  appId: connection.appId,
  payload: payload(connection.sensitiveExpiresAt ?? at, kind, connection.heldScopes.filter(Scope.isSensitive)),
  // Its own moment, however late it was noticed.
  occurredAt: at,
  webhookUrl: null,
  maxEventAgeS: null
})

const payload = (
  sensitiveExpiresAt: Timestamp,
  kind: SensitiveNotice.Kind,
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
