import { Effect } from "effect"
import { type AppId, program, type PurposeId } from "../shared/index.js"
import type { Timestamp } from "../shared/Timestamp.js"
import { wordingAt } from "./Purpose.js"
import { PurposeStore } from "./PurposeStore.js"

/**
 * A purpose in the form that users see: its wording, and an id that reveals nothing. Users never see the key (Spec
 * §2.4).
 */
export interface LoggedPurpose {
  readonly id: PurposeId
  readonly description: string
}

/**
 * Returns a function that finds a purpose by its app and key, with the wording that was in force at the time that the
 * caller names (decision M13). Archived purposes are included, because old entries of the access log name them. The
 * result of the function is null when the app has no such purpose.
 */
export const describePurposes = program("describePurposes", function* (apps: Iterable<AppId>) {
  const store = yield* PurposeStore
  const read = (id: AppId) =>
    Effect.map(Effect.all([store.list(id), store.approvals(id)]), (found) => [id, found] as const)
  const known = new Map(yield* Effect.forEach(new Set(apps), read))
  return (appId: AppId, key: string, at: Timestamp): LoggedPurpose | null => {
    const [purposes, approvals] = known.get(appId) ?? [[], []]
    const purpose = purposes.find((one) => one.key === key)
    return purpose === undefined ? null : { id: purpose.id, description: wordingAt(purpose, approvals, at) }
  }
})
