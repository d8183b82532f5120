import { createClient, type PlaceAccessOptions } from "@place-access/adapters-http/client"
import * as RefreshDecision from "@place-access/adapters-http/client/RefreshDecision"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { connected, type Connected, CURRENT } from "../support/connected.js"
import { startWorld, type World } from "../support/World.js"
import { callback, type Meddle, optionsFor, pendingOf, runtimeOn } from "./support.js"

const HOUR = 3_600_000

describe("a token request whose answer never comes, against the real service", () => {
  let world: World
  let app: Connected
  beforeAll(async () => {
    world = await startWorld()
    app = await connected(world)
  })
  afterAll(() => world.close())
  afterEach(() => vi.restoreAllMocks())

  const isAlive = async () => (await app.connection()).endedAt === null

  /**
   * Makes a client whose token requests can hang. After `hang(n)`, each of the next `n` token requests gets no answer
   * until its attempt times out; the clock of the test then moves on by the duration of the time-out. `begun` lists
   * when each token request began.
   */
  const hangingClient = (options: Partial<PlaceAccessOptions> = {}) => {
    let hanging = 0
    const begun: Array<number> = []
    const limits: Array<number> = []
    let endTime = () => {}
    vi.spyOn(AbortSignal, "timeout").mockImplementation((millis) => {
      const time = new AbortController()
      limits.push(millis)
      endTime = () => {
        world.clock.advance(millis)
        time.abort(new DOMException("too late", "TimeoutError"))
      }
      return time.signal
    })
    const meddle: Meddle = async ({ init, path }, pass) => {
      if (path !== "/v1/oauth/token") return pass()
      begun.push(world.clock.now())
      if (hanging === 0) return pass()
      hanging--
      // The service gets the request and spends the code or the refresh token.
      await (await pass()).text()
      return new Promise((_, reject) => {
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason))
        endTime()
      })
    }
    const runtime = runtimeOn(world, meddle)
    const client = createClient({ ...optionsFor(world, app), runtime, ...options })
    const complete = async () => client.authorization.complete(await callback(world, app, [CURRENT]), pendingOf(app))
    return { begun, client, complete, limits, runtime, hang: (requests: number) => (hanging = requests) }
  }

  it.each([1, 2])("a refresh is sent again in time after %i of them, and the connection lives on", async (lost) => {
    const { begun, client, complete, hang } = hangingClient()
    await complete()
    begun.length = 0
    world.clock.advance(2 * HOUR)
    hang(lost)
    expect((await client.me()).scopes).toEqual([CURRENT])
    expect(begun.length).toBe(lost + 1)
    expect(begun.at(-1)! - begun[0]!).toBeLessThanOrEqual(RefreshDecision.REPEATABLE_MS)
    world.clock.advance(2 * HOUR)
    await client.me()
    expect(await isAlive()).toBe(true)
  })

  it.each([1, 2])("a code is sent again in time after %i of them, with the same key", async (lost) => {
    const { begun, client, complete, hang, runtime } = hangingClient()
    hang(lost)
    expect((await complete()).scopes).toEqual([CURRENT])
    expect(begun.length).toBe(lost + 1)
    expect(new Set(runtime.sent.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1)
    world.clock.advance(2 * HOUR)
    await client.me()
    expect(await isAlive()).toBe(true)
  })

  it("a shorter `timeoutMs` holds for a token request too, and other calls may take all of `timeoutMs`", async () => {
    const short = hangingClient({ timeoutMs: 20 })
    await short.complete()
    expect(short.limits).toEqual([20])
    const long = hangingClient()
    await long.complete()
    await long.client.me()
    expect(long.limits).toEqual([RefreshDecision.ATTEMPT_MS, 30_000])
  })
})
