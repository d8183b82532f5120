import { AppId } from "@place-access/domain/shared"
import { Effect, Option } from "effect"
import { expect, it } from "vitest"
import { isolate } from "../../src/cli/isolate.js"

it("db isolate is refused on the embedded database", async () => {
  const embedded = { _tag: "Embedded", dataDir: "/nowhere", keys: Option.none() } as const
  const refused = await Effect.runPromise(
    Effect.flip(isolate({ appId: AppId.make("app_7"), node: undefined }, embedded))
  )
  expect(refused.message).toContain("set DATABASE_URL. Nothing was changed.")
})
