import { Effect, Schema } from "effect"
import { decideApp, narrowApp } from "../../../../src/apps/changeAppAsStaff.js"
import { revokeApp } from "../../../../src/staff/revokeApp.js"
import { decidePurpose } from "../../../../src/purposes/decidePurpose.js"
import { listVolumeFlags } from "../../../../src/purposes/flagVolumes.js"
import { Note } from "../../../../src/reviews/Verdict.js"
import { AppId, PurposeId } from "../../../../src/shared/Ids.js"
import { Scope } from "../../../../src/shared/Scope.js"
import type { VolumeFlag } from "../../Operations.js"
import { type Handlers, staff, valid } from "./Handlers.js"

const NOTE = Note.make("So it was decided in the simulation")
const Scopes = Schema.Array(Scope)

export const reviewers: Handlers<"decidePurpose" | "decideApp" | "narrowApp" | "revokeApp" | "readFlags"> = {
  decidePurpose: ({ purposeId, decision }, registry) =>
    Effect.gen(function* () {
      yield* decidePurpose(yield* staff(registry), PurposeId.make(purposeId), {
        decision,
        note: NOTE,
        revision: "unchecked"
      })
      return null
    }),

  decideApp: ({ appId, decision }, registry) =>
    Effect.gen(function* () {
      yield* decideApp(yield* staff(registry), AppId.make(appId), { decision, note: NOTE, revision: "unchecked" })
      return null
    }),

  narrowApp: ({ appId, scopes }, registry) =>
    Effect.gen(function* () {
      yield* narrowApp(
        yield* staff(registry),
        AppId.make(appId),
        yield* valid(Scopes, "allowed_scopes", scopes),
        "unchecked"
      )
      return null
    }),

  revokeApp: ({ appId }, registry) =>
    Effect.gen(function* () {
      yield* revokeApp(yield* staff(registry), AppId.make(appId), NOTE)
      return null
    }),

  readFlags: (_, registry) =>
    Effect.gen(function* () {
      const reader = yield* staff(registry)
      const flags: Array<VolumeFlag> = []
      let cursor: string | undefined
      do {
        const page = yield* listVolumeFlags(reader, { limit: 200, cursor })
        flags.push(
          ...page.flags.map(({ appId, connectionId, purposeKey, to, calls }) => ({
            appId,
            connectionId,
            purpose: purposeKey,
            flaggedAt: to,
            calls
          }))
        )
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return { flags }
    })
}
