import type { Pause } from "@place-access/domain/connection"
import type { Timestamp } from "@place-access/domain/shared"

/** Reads a pause from its two columns; `paused_at` is null when there is no pause. */
export const toPause = (row: {
  readonly paused_at: Timestamp.Timestamp | null
  readonly paused_until: Timestamp.Timestamp | null
}): Pause.Pause | null => (row.paused_at === null ? null : { from: row.paused_at, until: row.paused_until })
