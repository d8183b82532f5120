import { Effect } from "effect"
import type { App } from "../apps/App.js"
import type { SensitiveScope } from "../shared/Scope.js"
import type { StoreError } from "../shared/StoreError.js"
import * as Telemetry from "../shared/Telemetry.js"
import type { Key } from "./Purpose.js"
import * as PurposeGate from "./PurposeGate.js"
import { PurposeStore } from "./PurposeStore.js"

/**
 * Lets a call for coordinates through when the purpose that it names may be used for `scope` (Spec §4.4). `key` as it was sent;
 * undefined when none was.
 */
export const usePurpose = (
  app: Pick<App, "id" | "status">,
  key: string | undefined,
  scope: SensitiveScope
): Effect.Effect<Key, PurposeGate.PurposeRefused | StoreError, PurposeStore> =>
  Effect.gen(function* () {
    const purposes = yield* (yield* PurposeStore).list(app.id)
    const verdict = PurposeGate.decide(purposes, app.status, key, scope)
    if (verdict._tag === "Allowed") return verdict.purpose.key
    const known = purposes.find((purpose) => purpose.key === key)
    return yield* new PurposeGate.PurposeRefused({ reason: verdict.reason, key: known?.key ?? null })
  }).pipe(Telemetry.span("usePurpose"))
