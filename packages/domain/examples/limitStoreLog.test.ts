import {
  appendFileSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { askZone } from "@place-access/domain/limits"
import { AppId, UserId } from "@place-access/domain/shared"
import { Effect, Either, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import * as OwnLimitStore from "./limitStore.js"

// The guide quotes limitStore.test.ts whole. These cases are here, because readers of the guide need not see them.

describe("the log of the example LimitStore", () => {
  const folder = mkdtempSync(join(tmpdir(), "limits-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  const whose = { userId: UserId.make("usr_ana"), appId: AppId.make("app_1") }
  /** Opens the store over the log at `path`, as a process does when it starts, and runs `work`. */
  const process = async <A>(path: string, work: (ask: (lat: number) => Promise<boolean>) => Promise<A>): Promise<A> => {
    const runtime = ManagedRuntime.make(OwnLimitStore.layer(path))
    const ask = (lat: number) =>
      runtime.runPromise(Effect.map(Effect.either(askZone(whose, { lat, lon: 5, radiusM: 9_000 })), Either.isRight))
    try {
      return await work(ask)
    } finally {
      await runtime.dispose()
    }
  }

  it("a write that failed in the middle of its line spoils neither the next question nor the next start", async () => {
    const path = join(folder, "disk-full")
    const answered = await process(path, async (ask) => {
      const first = await ask(52)
      appendFileSync(path, '["[\\"usr_ana')
      return [first, await ask(52.01), await ask(52.02)]
    })
    expect(answered).toEqual([true, true, true])
    expect(await process(path, (ask) => ask(52.03))).toBe(false)
  })

  it("a log that cannot be read stops the start, and is left as it is", async () => {
    const path = join(folder, "unreadable")
    const size = 5 * 1024 ** 3
    // `readFile` cannot read a file of 5 GiB, so the start fails. The file is sparse and takes no space on the disk.
    writeFileSync(path, "")
    truncateSync(path, size)
    const failure = process(path, (ask) => ask(52)).then(() => "started", String)
    expect(await failure).toMatch(/StoreError: [^]*greater than 2 GiB/)
    expect(statSync(path).size).toBe(size)
  })

  it("a start replaces the log as a whole: a crash in the middle leaves the old log", async () => {
    const path = join(folder, "replaced")
    const old = join(folder, "old")
    await process(path, async (ask) => [await ask(52), await ask(52.01)])
    linkSync(path, old)
    const lines = readFileSync(path, "utf8")
    await process(path, (ask) => ask(52.02))
    expect(readFileSync(old, "utf8")).toBe(lines)
    expect(readFileSync(path, "utf8")).not.toBe(lines)
  })
})
