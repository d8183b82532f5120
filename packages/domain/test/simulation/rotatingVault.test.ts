import { Effect } from "effect"
import { expect, it } from "vitest"
import * as RotatingVault from "../../testing/simulation/ports/RotatingVault.js"
import { Secrets } from "../../testing/simulation/trace/Secrets.js"

it("after a rotation, texts and bytes that the older key sealed still unseal", async () => {
  const { rotate, vault } = RotatingVault.make(new Secrets())
  const bytes = new Uint8Array([0, 1, 254, 255])
  const [sealed, sealedBytes] = await Effect.runPromise(
    Effect.all([vault.seal("secret", "a row"), vault.sealBytes(bytes, "a row")])
  )
  rotate()
  expect(await Effect.runPromise(vault.unseal(sealed, "a row"))).toBe("secret")
  expect(await Effect.runPromise(vault.unsealBytes(sealedBytes, "a row"))).toEqual(bytes)
  const sealedLater = await Effect.runPromise(vault.seal("secret", "a row"))
  expect(sealedLater).toContain(".k2.")
})
