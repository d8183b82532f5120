import { textsIn } from "@place-access/adapters-http/languages/index"
import { shareScript } from "@place-access/adapters-http/pages/kit/scripts/shareScript"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"

interface Answer {
  readonly status: number
  readonly retryAfter?: string
}

interface Opened {
  readonly language?: "de" | "en"
  readonly stored?: Readonly<Record<string, unknown>>
  /**
   * The account whose session the browser has now. Null when the browser is signed out. The page was opened by the
   * account `usr_1`.
   */
  readonly signedIn?: string | null
}

/**
 * The page in a simulated browser whose storage has the values `stored`. The service answers each request with
 * `answer`, except for the request that asks which account is signed in (`signedIn`).
 */
const opened = (answer: () => Answer, { language = "en", signedIn = "usr_1", stored = {} }: Opened = {}) => {
  const parts = new Map<string, { textContent: string; press?: () => Promise<void> }>()
  const events = new Map<string, () => Promise<void>>()
  const rows = new Array<{ readonly textContent: string }>()
  const part = (id: string) => {
    const one = {
      textContent: "",
      dataset: { account: "usr_1", name: "Firefox" },
      children: [],
      prepend: rows.push.bind(rows)
    }
    const made = { ...one, addEventListener: (_: string, press: () => Promise<void>) => Object.assign(made, { press }) }
    if (!parts.has(id)) parts.set(id, made)
    return parts.get(id)
  }
  const storage = new Map(Object.entries(stored).map(([key, value]) => [key, JSON.stringify(value)]))
  const timers = new Map<number, { readonly ms: number; readonly run: () => unknown }>()
  let ids = 0
  let requests = 0
  let found: ((position: unknown) => void) | undefined
  const fetch = async (path: string, { method = "GET" }: { readonly method?: string } = {}) => {
    if (method === "GET" && path === "/v1/session") {
      return { ok: signedIn !== null, status: signedIn === null ? 401 : 200, json: async () => ({ id: signedIn }) }
    }
    requests++
    const { retryAfter, status } = answer()
    return {
      ok: status < 300,
      status,
      headers: { get: () => retryAfter ?? null },
      json: async () => ({ message: "an account can have 50 devices", id: "dev_2", token: "other" })
    }
  }
  runInNewContext(shareScript, {
    document: {
      currentScript: { dataset: { texts: JSON.stringify(textsIn(language).setUp.share.script) } },
      getElementById: part,
      createElement: () => ({}),
      documentElement: { lang: language },
      // Neither `body` nor a button has the focus, so the script does not move the focus.
      body: {}
    },
    window: { isSecureContext: true },
    navigator: {
      geolocation: { watchPosition: (onFound: typeof found) => (found = onFound), clearWatch: () => {} },
      onLine: true
    },
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key)
    },
    addEventListener: (event: string, handle: () => Promise<void>) => events.set(event, handle),
    setTimeout: (run: () => unknown, ms: number) => {
      timers.set(++ids, { ms, run })
      return ids
    },
    clearTimeout: (id: number) => timers.delete(id),
    fetch
  })
  return {
    requests: () => requests,
    /** The durations of all timers that have not fired yet, in milliseconds. */
    pauses: () => Array.from(timers.values(), ({ ms }) => ms),
    press: async (id: string) => {
      await parts.get(id)?.press?.()
      await new Promise(setImmediate)
    },
    /** The browser reports that it is online. */
    online: async () => {
      await events.get("online")?.()
      await new Promise(setImmediate)
    },
    /** The device that the page has stored in the browser for its account. */
    device: () => JSON.parse(storage.get("share-device:usr_1") ?? "null") as unknown,
    /** The number of positions in the browser's queue, which have not been uploaded. */
    waiting: () => (JSON.parse(storage.get("share-queue:usr_1") ?? "[]") as ReadonlyArray<unknown>).length,
    /** The uploaded positions that the page lists, in words. */
    rows: () => rows.map(({ textContent }) => textContent),
    message: () => parts.get("share-said")?.textContent ?? "",
    /** Lets the first timer end, as if its time had passed. */
    wait: async () => {
      const [id, timer] = timers.entries().next().value ?? []
      if (id === undefined) throw new Error("no timer runs")
      timers.delete(id)
      await timer?.run()
    },
    /** The browser reports the same spot again, with the time `timestamp`. */
    rest: async (timestamp: number) => {
      found?.({ timestamp, coords: { ...SPOT, latitude: 50 } })
      await new Promise(setImmediate)
    },
    /** The browser reports its position `count` times, each time at another spot. */
    move: async (count: number) => {
      for (let index = 0; index < count; index++) {
        found?.({ timestamp: Date.now(), coords: { ...SPOT, latitude: 50 + index } })
        await new Promise(setImmediate)
      }
    }
  }
}

const SPOT = { longitude: 13, accuracy: 10, altitude: null, speed: null, heading: null }

const WAITING = Array.from({ length: 101 }, (_, index) => ({
  captured_at: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
  lat: 50 + index / 1_000,
  lon: 13,
  accuracy_m: 10
}))

const BACKLOG = { "share-device:usr_1": { id: "dev_1", token: "secret" }, "share-queue:usr_1": WAITING }

it.each([401, 409, 429, 503])(
  "a browser that cannot be added (%i) reads why in its own language [languages-1]",
  async (status) => {
    const refused = async (status: number, language: "de" | "en") => {
      const page = opened(() => ({ status }), { language })
      await page.press("share-start")
      return page.message()
    }
    for (const language of ["de", "en"] as const) {
      const message = await refused(status, language)
      expect(message).not.toContain("an account can have 50 devices")
      expect(Object.values(textsIn(language).setUp.share.script)).toContain(message)
    }
    const [full, later] = [await refused(409, "de"), await refused(503, "de")]
    expect(full).toContain("Entfernen Sie eines")
    expect(later).not.toBe(full)
  }
)

it("the times of what was sent are written as on every page, and not as the browser writes them [languages-1]", async () => {
  const rows = async (language: "de" | "en") => {
    const page = opened(() => ({ status: 200 }), { language, stored: BACKLOG })
    await page.press("share-start")
    return page.rows()
  }
  for (const language of ["de", "en"] as const) {
    const listed = await rows(language)
    expect(listed).toHaveLength(100)
    for (const row of listed) expect(row).toMatch(/^\d\d:\d\d:00, ±10 m$/)
  }
})

it("an accuracy is written as the reader's language writes numbers: a computer may know only its town [languages-1]", async () => {
  const row = async (language: "de" | "en") => {
    const inTown = WAITING.slice(0, 1).map((location) => ({ ...location, accuracy_m: 12_344.5 }))
    const page = opened(() => ({ status: 200 }), { language, stored: { ...BACKLOG, "share-queue:usr_1": inTown } })
    await page.press("share-start")
    return page.rows()
  }
  expect(await row("de")).toEqual([expect.stringContaining("±12.345 m")])
  expect(await row("en")).toEqual([expect.stringContaining("±12,345 m")])
})

it("a refused upload is repeated once Retry-After has passed, however many positions come meanwhile [devices-15]", async () => {
  const page = opened(() => ({ status: 429, retryAfter: "7" }), { stored: BACKLOG })
  await page.press("share-start")
  expect([page.requests(), page.pauses()]).toEqual([1, [7_000]])
  await page.move(20)
  expect([page.requests(), page.pauses()]).toEqual([1, [7_000]])
  await page.wait()
  expect([page.requests(), page.pauses()]).toEqual([2, [7_000]])
})

it("without Retry-After each failure makes the pause longer, up to five minutes [devices-15]", async () => {
  const answers = [503, 503, 500, 502, 503, 503, 200, 503]
  const page = opened(() => ({ status: answers.shift() ?? 503, retryAfter: "soon" }), { stored: BACKLOG })
  await page.press("share-start")
  const pauses = [page.pauses()]
  for (let index = 0; index < 7; index++) {
    await page.wait()
    pauses.push(page.pauses())
  }
  const [MINUTE, s] = [60_000, 1_000]
  expect(pauses).toEqual(
    [30 * s, MINUTE, 2 * MINUTE, 4 * MINUTE, 5 * MINUTE, 5 * MINUTE, 30 * s, 30 * s].map((pause) => [pause])
  )
})

it("a Retry-After of hours does not stop the page for hours [devices-15]", async () => {
  const page = opened(() => ({ status: 429, retryAfter: "86400" }), { stored: BACKLOG })
  await page.press("share-start")
  expect(page.pauses()).toEqual([300_000])
})

it("a position is sent at once after an upload that was stored [devices-15]", async () => {
  const page = opened(() => ({ status: 200 }), { stored: BACKLOG })
  await page.press("share-start")
  await page.move(1)
  expect(page.requests()).toBe(2)
})

it("a browser at rest records a location every ten seconds, also after its clock was set back [devices-15]", async () => {
  const page = opened(() => ({ status: 200 }), { stored: { "share-device:usr_1": BACKLOG["share-device:usr_1"] } })
  await page.press("share-start")
  const noon = Date.UTC(2026, 0, 1, 12)
  const sent = new Array<number>()
  for (const seconds of [0, 5, 10, -3_600, -3_595, -3_590]) {
    await page.rest(noon + seconds * 1_000)
    sent.push(page.requests())
  }
  expect(sent).toEqual([1, 1, 2, 3, 3, 4])
})

it("Stop deletes what waits: neither a timer, nor the network that is back, nor a reload sends it [devices-15]", async () => {
  const page = opened(() => ({ status: 503 }), { stored: BACKLOG })
  await page.press("share-start")
  await page.move(3)
  expect([page.requests(), page.waiting()]).toEqual([1, 104])
  await page.press("share-stop")
  expect([page.message(), page.waiting(), page.pauses()]).toEqual(["Stopped. Nothing is sent.", 0, []])
  await page.online()
  expect(page.requests()).toBe(1)
  // After a failed upload the page pauses. “Stop” must end this pause too, so that the next start uploads at once.
  await page.press("share-start")
  await page.move(1)
  expect(page.requests()).toBe(2)
})

it("what waited when the page was closed is sent after the next Start, and not before [devices-15]", async () => {
  const page = opened(() => ({ status: 200 }), { stored: BACKLOG })
  await page.online()
  expect([page.requests(), page.waiting()]).toEqual([0, 101])
  await page.press("share-start")
  expect([page.requests(), page.waiting()]).toEqual([1, 1])
})

it.each([
  ["another account", "usr_2"],
  ["nobody", null]
])(
  "the page of an account neither adds nor removes a device once %s is signed in on this browser [devices-15]",
  async (_, signedIn) => {
    const SIGNED_OUT = "You are signed out. Load this page again."
    const fresh = opened(() => ({ status: 201 }), { signedIn })
    await fresh.press("share-start")
    await fresh.move(1)
    expect([fresh.message(), fresh.requests(), fresh.device(), fresh.waiting()]).toEqual([SIGNED_OUT, 0, null, 0])
    const known = opened(() => ({ status: 404 }), { signedIn, stored: BACKLOG })
    await known.press("share-forget")
    const left = BACKLOG["share-device:usr_1"]
    expect([known.message(), known.requests(), known.device(), known.waiting()]).toEqual([SIGNED_OUT, 0, left, 101])
  }
)

it("the page of the account that is signed in adds this browser and removes it [devices-15]", async () => {
  const page = opened(() => ({ status: 201 }))
  await page.press("share-start")
  expect([page.requests(), page.device()]).toEqual([1, { id: "dev_2", token: "other" }])
  await page.press("share-forget")
  expect([page.requests(), page.device()]).toEqual([2, null])
})
