import { Effect } from "effect"
import type { Connection } from "../connection/Connection.js"
import * as Cursor from "../shared/Cursor.js"
import type { Invalid } from "../shared/Invalid.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Timestamp from "../shared/Timestamp.js"
import type { Vault, VaultError } from "../shared/Vault.js"
import type { StoredFix } from "./Fix.js"
import { FixHistory } from "./FixHistory.js"
import * as HistoryQuery from "./HistoryQuery.js"

export interface FixPage {
  readonly fixes: ReadonlyArray<StoredFix>
  /** Null on the last page. Good for the same connection and stretch only. */
  readonly nextCursor: string | null
}

/** Where the user was, oldest first (decisions §4). `Invalid` for a stretch that is empty or longer than 31 days. */
export const listFixes = (
  connection: Pick<Connection, "id" | "userId">,
  asked: HistoryQuery.Asked,
  limit: number,
  cursor: string | undefined
): Effect.Effect<FixPage, Invalid | StoreError | VaultError, FixHistory | Vault> =>
  Effect.gen(function* () {
    const within = yield* HistoryQuery.checkRange(asked)
    const query = JSON.stringify(["fixes", connection.id, within.from, within.until])
    const after = cursor === undefined ? undefined : yield* Cursor.open(cursor, query)
    const page = yield* (yield* FixHistory).range(connection.userId, yield* Timestamp.now, within, limit, after)
    return {
      fixes: page.items,
      nextCursor: page.next === undefined ? null : yield* Cursor.seal(page.next, query)
    }
  }).pipe(Effect.withSpan("listFixes"))
