import { Export, exportNext, requestExport } from "@place-access/domain/exports"
import {
  MemoryAccessLogStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryArchiveMaker,
  MemoryAuditLog,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryExportStore,
  MemoryFixHistory,
  MemoryFixStore,
  MemoryHistoryStore,
  MemoryMailOutbox,
  MemoryPlaceStore,
  MemoryPurposeStore,
  MemoryRuleStore,
  MemoryStayStore,
  MemoryTokenStore,
  MemoryVault,
  MemoryVisitStore,
  MemoryWorkSignal,
  VirtualTime
} from "@place-access/domain/testing"
import { Effect, Exit, FastCheck as fc, Layer, Logger, LogLevel } from "effect"
import { expect, it } from "vitest"
import { decoded, fetched, hasNoSecret, holdsAll, makePerson, personDraft } from "../support/archivedPerson.js"
import { holdsAnywhere } from "../support/holdsAnywhere.js"

const stores = Layer.mergeAll(
  MemoryAccessLogStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryAuditLog.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryDeviceStore.layer,
  MemoryExportStore.layer,
  MemoryExportStore.layerSource,
  MemoryFixHistory.layer,
  MemoryFixStore.layer,
  MemoryHistoryStore.layer,
  MemoryMailOutbox.layer,
  MemoryPlaceStore.layer,
  MemoryPurposeStore.layer,
  MemoryRuleStore.layer,
  MemoryStayStore.layer,
  MemoryTokenStore.layer,
  MemoryVisitStore.layer,
  MemoryWorkSignal.layer
).pipe(
  Layer.provideMerge(MemoryDatabase.layer),
  Layer.provideMerge(Layer.mergeAll(MemoryEntropy.layer, MemoryVault.layer, MemoryArchiveMaker.layer)),
  Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None))
)

const inVirtualTime = <A, E>(program: Effect.Effect<A, E, Layer.Layer.Success<typeof stores>>): A =>
  Exit.getOrElse(VirtualTime.runVirtual(program.pipe(Effect.provide(stores))), (cause) => {
    throw new Error(String(cause))
  })

it("every file of an archive decodes by its schema and has what the stores hold, and no secret of any kind [exports-5, exports-6]", () => {
  holdsAnywhere(
    fc.property(personDraft, (draft) =>
      inVirtualTime(
        Effect.gen(function* () {
          const { secrets, user } = yield* makePerson(draft)
          yield* makePerson({ places: [], fixes: [], connections: [] })
          const asked = yield* requestExport(user.id)
          expect(yield* exportNext()).toBe(true)
          const files = MemoryArchiveMaker.read(yield* fetched(asked))
          const archive = decoded(files)
          yield* holdsAll(user, archive)
          hasNoSecret(files, secrets)
          const entries = new Map(archive.manifest.files.map((file) => [file.name, file.entries]))
          expect([entries.get("fixes.jsonl"), entries.get("fixes.gpx")]).toEqual([
            archive.fixes.length,
            archive.fixes.length
          ])
          expect([...entries.keys(), "manifest.json"]).toEqual(files.map(({ name }) => name))
          expect(asked.state).toBe("requested")
          expect(Export.percent(asked)).toBe(0)
        })
      )
    ),
    60
  )
})
