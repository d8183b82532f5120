import { Effect } from "effect"
import { ConnectionStore } from "../connection/ConnectionStore.js"
import * as Purpose from "../purposes/Purpose.js"
import { PurposeStore } from "../purposes/PurposeStore.js"
import type { AppId, UserId } from "../shared/Ids.js"
import type { StoreError } from "../shared/StoreError.js"
import type { LoggedPurpose } from "./listAccessLog.js"

/** An app that the user's log can have entries of, with the purposes that it can have named. */
export interface LoggedApp {
  readonly id: AppId
  readonly name: string
  readonly purposes: ReadonlyArray<LoggedPurpose>
}

/** Every app that the user ever connected, the newest connection first: what the log can be filtered by. */
export const listLoggedApps = (
  userId: UserId
): Effect.Effect<ReadonlyArray<LoggedApp>, StoreError, ConnectionStore | PurposeStore> =>
  Effect.gen(function* () {
    const connections = yield* (yield* ConnectionStore).listOfUser(userId)
    const apps = new Map(connections.map(({ app }) => [app.id, app]))
    const purposes = yield* PurposeStore
    return yield* Effect.forEach(apps.values(), ({ id, name }) =>
      Effect.map(purposes.list(id), (list) => ({
        id,
        name,
        purposes: list.map((purpose) => ({ id: purpose.id, description: Purpose.wording(purpose) }))
      }))
    )
  }).pipe(Effect.withSpan("listLoggedApps"))
