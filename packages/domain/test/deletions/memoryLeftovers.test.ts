import { AccountDeletion, AccountDeletionStore } from "@place-access/domain/deletions"
import { Timestamp, Vault } from "@place-access/domain/shared"
import {
  MemoryAccountDeletionStore,
  MemoryAccountStore,
  MemoryAppStore,
  MemoryConnectionStore,
  MemoryConsentStore,
  MemoryDatabase,
  MemoryDeviceStore,
  MemoryEntropy,
  MemoryPlaceStore,
  MemoryRuleStore,
  MemoryTokenStore,
  MemoryVault,
  RuleSamples
} from "@place-access/domain/testing"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

const layer = Layer.mergeAll(
  MemoryAccountDeletionStore.layer,
  MemoryAccountStore.layer,
  MemoryAppStore.layer,
  MemoryConnectionStore.layer,
  MemoryConsentStore.layer,
  MemoryTokenStore.layer,
  MemoryPlaceStore.layer,
  MemoryDeviceStore.layer,
  MemoryRuleStore.layer,
  MemoryVault.layer
).pipe(Layer.provideMerge(Layer.merge(MemoryDatabase.layer, MemoryEntropy.layer)))

describe("MemoryAccountDeletionStore.removeSome", () => {
  it.effect("removes a connection after its tokens, also when they are more than the limit", () =>
    Effect.gen(function* () {
      const { connection, user } = yield* RuleSamples.sharing()
      const { accessTokens } = yield* MemoryDatabase
      const vault = yield* Vault.Vault
      for (let n = 0; n < 5; n++) {
        accessTokens.set(vault.sha256(`token ${n}`), { connectionId: connection.id } as never)
      }
      const store = yield* AccountDeletionStore
      yield* store.begin(user.id, AccountDeletion.decide)
      const now = yield* Timestamp.now
      while ((yield* store.removeSome(user.id, now, 2)) > 0) continue
      expect(accessTokens.size).toBe(0)
    }).pipe(Effect.provide(layer))
  )
})
