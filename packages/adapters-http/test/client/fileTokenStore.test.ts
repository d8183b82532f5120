import type { ClientTokenStore } from "@place-access/adapters-http/client"
import { fileTokenStore } from "@place-access/adapters-http/client/fileTokenStore"
import { link, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

const tokens = (name: string) => ({ access_token: name, refresh_token: name, expires_at: 0, scope: "", sub: "" })

describe("tokens in a file", () => {
  let folder: string
  let path: string
  let store: ClientTokenStore
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tokens-"))
    path = join(folder, "tokens.json")
    store = fileTokenStore(path)
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it("only their owner can read them, and nothing is left beside them", async () => {
    expect(await store.read()).toBeNull()
    await store.locked(() => store.write(tokens("a")))
    await store.locked(() => store.write(tokens("b")))
    expect(await fileTokenStore(path).read()).toEqual(tokens("b"))
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(["tokens.json"])
    await store.write(null)
    await store.write(null)
    expect(await store.read()).toBeNull()
  })

  it("a file that holds something else has no tokens", async () => {
    await writeFile(path, "half a tok")
    expect(await store.read()).toBeNull()
  })

  it("the lock lets twenty writers add one after the other, and none overwrites another", async () => {
    await store.write(tokens("0"))
    const add = async () => {
      const own = fileTokenStore(path)
      await own.locked(async () => {
        const { access_token } = (await own.read())!
        await own.write(tokens(String(Number(access_token) + 1)))
      })
    }
    await Promise.all(Array.from({ length: 20 }, add))
    expect(await store.read()).toEqual(tokens("20"))
    expect(await readdir(folder)).toEqual(["tokens.json"])
  })

  it("a failure of the work gives the lock back", async () => {
    await expect(store.locked(() => Promise.reject(new Error("no")))).rejects.toThrow("no")
    expect(await store.locked(() => Promise.resolve("in"))).toBe("in")
  })

  it("the lock of a process that died is taken over, by one of several that wait", async () => {
    await writeFile(`${path}.lock`, "somebody who is gone")
    const old = new Date(Date.now() - 60_000)
    await utimes(`${path}.lock`, old, old)
    let inside = 0
    let most = 0
    const enter = () =>
      fileTokenStore(path).locked(async () => {
        most = Math.max(most, ++inside)
        await new Promise((resolve) => setTimeout(resolve, 5))
        inside--
      })
    await Promise.all(Array.from({ length: 10 }, enter))
    expect(most).toBe(1)
    expect(await readdir(folder)).toEqual([])
  })

  it("a former holder that still works keeps only its own file fresh, not the lock of its successor", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const lock = `${path}.lock`
    const own = join(folder, "own")
    const old = new Date(Date.now() - 60_000)
    const isFresh = async (file: string) => (await stat(file)).mtimeMs > old.getTime() + 1_000
    try {
      await store.locked(async () => {
        await link(lock, own)
        await utimes(lock, old, old)
        await rm(lock)
        await writeFile(lock, "a successor that died at once")
        await utimes(lock, old, old)
        vi.advanceTimersByTime(2_000)
        await vi.waitFor(async () => expect(await isFresh(own)).toBe(true))
        expect(await isFresh(lock)).toBe(false)
      })
      expect(await readdir(folder)).toEqual(["own", "tokens.json.lock"])
    } finally {
      vi.useRealTimers()
    }
  })
})
