import { RedirectUri } from "@place-access/domain/apps"
import { decideConsent, startConsent } from "@place-access/domain/consent"
import { Effect } from "effect"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StoredTokens } from "@place-access/adapters-http/client"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { describeBrowser, theBrowser } from "../../../domain/test/support/chromium.js"
import { signInAs } from "../support/browser.js"
import { connected, type Connected, CURRENT } from "../support/connected.js"
import { call } from "../support/wire.js"
import { phone } from "../support/phone.js"
import { startWorld, type World } from "../support/World.js"
import { freePort, startExample } from "./exampleProcess.js"

/** A running service, and a proxy in front of it. `seen` lists the requests that an example sent to the proxy. */
interface Watched {
  readonly world: World
  readonly proxy: string
  readonly seen: Array<string>
  /** Keeps back the answers of the service until the returned function is called. */
  readonly holdAnswers: () => () => void
  readonly close: () => Promise<void>
}

const watched = async (): Promise<Watched> => {
  const world = await startWorld()
  const seen: Array<string> = []
  let released = Promise.resolve()
  const passOn = async (request: IncomingMessage): Promise<readonly [number, string, string]> => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    seen.push(`${request.method} ${request.url} ${/grant_type=\w+/.exec(String(body))?.[0] ?? ""}`.trim())
    const { authorization, "content-type": type } = request.headers
    const headers = { ...(authorization ? { authorization } : {}), ...(type ? { "content-type": type } : {}) }
    const init = { method: request.method ?? "GET", headers, ...(body.length === 0 ? {} : { body: String(body) }) }
    const answer = await call(`${world.url}${request.url}`, init)
    return [answer.status, answer.headers.get("content-type") ?? "text/plain", answer.text]
  }
  const server: Server = createServer(async (request, response) => {
    const [status, type, text] = await passOn(request)
    await released
    response.writeHead(status, { "content-type": type }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    world,
    proxy: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    holdAnswers: () => {
      let release = () => {}
      released = new Promise((resolve) => (release = resolve))
      return release
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await world.close()
    }
  }
}

/**
 * The user opens the address of the consent page and presses Allow. Returns the address to which the service sends the
 * user.
 */
const approve = (world: World, { person, placeId }: Connected, address: string): Promise<string> => {
  const { searchParams } = new URL(address)
  const choices = {
    decision: "allow" as const,
    shown: undefined,
    scopes: (searchParams.get("scope") ?? "").split(" "),
    places: [placeId],
    earlier: [],
    standardDays: undefined,
    sensitiveDays: undefined
  }
  return world.run(
    Effect.gen(function* () {
      const request = yield* startConsent(Object.fromEntries(searchParams), world.url)
      return (yield* decideConsent(request.id, person.account, choices, world.url, "assumed")).redirectTo
    })
  )
}

/** Uploads readings of a phone at home. `minutesAgo`: how many minutes ago each reading was captured. */
const atHome = async (world: World, { person }: Connected, minutesAgo: ReadonlyArray<number>): Promise<void> =>
  (await phone(world, person)).at(
    { lat: 52.37, lon: 4.89 },
    minutesAgo.map((minutes) => minutes * 60_000)
  )

const appAt = (world: World, ...uris: ReadonlyArray<string>): Promise<Connected> =>
  connected(world, { redirectUris: uris.map((uri) => RedirectUri.RedirectUri.make(uri)) })

describe("the examples of the client, as processes of their own", () => {
  let at: Watched
  let folder: string
  let app: Connected
  let tokens: string
  let appUrl: string
  beforeAll(async () => {
    at = await watched()
    folder = await mkdtemp(join(tmpdir(), "client-examples-"))
    appUrl = `http://127.0.0.1:${await freePort()}`
    app = await appAt(at.world, `${appUrl}/callback`)
    await atHome(at.world, app, [1])
  })
  afterAll(async () => {
    await at.close()
    await rm(folder, { recursive: true, force: true })
  })
  const environment = () => ({ SERVICE: at.proxy, CLIENT_ID: app.app.id, CLIENT_SECRET: app.clientSecret })

  it("node.mjs: the user connects, the app says where they are, and sends them to connect again when it must", async () => {
    const example = startExample("node.mjs", {
      ...environment(),
      APP_URL: appUrl,
      PORT: new URL(appUrl).port,
      TOKENS: folder
    })
    await example.hasWritten("listening on port")
    const first = await call(`${appUrl}/where`)
    expect([first.status, first.headers.get("location")]).toEqual([303, "/connect"])
    const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? ""
    const visit = (path: string) => call(appUrl + path, { headers: { cookie } })

    const consent = (await visit("/connect")).headers.get("location") ?? ""
    const back = new URL(await approve(at.world, app, consent))
    const stranger = await visit(`${back.pathname}?code=stolen&state=guessed`)
    expect([stranger.status, stranger.text]).toEqual([400, "This address is not from your sign-in."])
    // A callback with a wrong state has ended the sign-in, so the user begins a second sign-in.
    const secondAddress = (await visit("/connect")).headers.get("location") ?? ""
    const right = new URL(await approve(at.world, app, secondAddress))
    const landed = await visit(right.pathname + right.search)
    expect([landed.status, landed.headers.get("location")]).toEqual([303, "/where"])
    expect((await visit("/where")).text).toBe("You are at Home.")

    const [name = ""] = await readdir(folder)
    tokens = join(folder, name)
    expect(example.output()).not.toContain(app.clientSecret)
  })

  it("worker.mjs: two of them share the tokens, and one of them refreshes", async () => {
    const stored = JSON.parse(await readFile(tokens, "utf8")) as StoredTokens
    await writeFile(tokens, JSON.stringify({ ...stored, expires_at: 0 }))
    at.seen.length = 0
    const since = new Date(at.world.clock.now() - 86_400_000).toISOString()
    const worker = () => startExample("worker.mjs", { ...environment(), TOKENS: tokens, SINCE: since })
    const both = [worker(), worker()]
    // Both example workers ask for visits, which the user has not granted. So each of them logs the error code
    // `missing_scope` and ends with status 1.
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([1, 1])
    for (const { output } of both) expect(output()).toContain("missing_scope: ")
    expect(at.seen.filter((line) => line.includes("refresh_token"))).toHaveLength(1)

    const visits = await appAt(at.world, `${appUrl}/callback`)
    await atHome(at.world, visits, [50, 40, 30, 20, 10, 1])
    const { access_token, expires_in, refresh_token, scope, sub } = await visits.connect(["location.visits.read"])
    const own = { access_token, refresh_token, expires_at: Date.now() + expires_in * 1_000, scope, sub }
    await writeFile(tokens, JSON.stringify(own))
    const other = { SERVICE: at.proxy, CLIENT_ID: visits.app.id, CLIENT_SECRET: visits.clientSecret }
    const good = startExample("worker.mjs", { ...other, TOKENS: tokens, SINCE: since })
    expect([await good.ended, good.output()]).toEqual([0, "done\n"])
  })

  it("worker.mjs: SIGTERM in the middle of a refresh loses no tokens; the next worker uses the new ones", async () => {
    const visits = await appAt(at.world, `${appUrl}/callback`)
    const { access_token, refresh_token, scope, sub } = await visits.connect(["location.visits.read"])
    const file = join(folder, "stopped.json")
    await writeFile(file, JSON.stringify({ access_token, refresh_token, expires_at: 0, scope, sub }))
    const own = { SERVICE: at.proxy, CLIENT_ID: visits.app.id, CLIENT_SECRET: visits.clientSecret }
    const worker = () => startExample("worker.mjs", { ...own, TOKENS: file, SINCE: "2026-01-01T00:00:00Z" })
    at.seen.length = 0
    const release = at.holdAnswers()
    const stopped = worker()
    await vi.waitFor(() => expect(at.seen.join()).toContain("refresh_token"), { timeout: 30_000 })
    stopped.stop()
    await stopped.hasWritten("stopped")
    release()
    expect(await stopped.ended).toBe(1)
    const stored = JSON.parse(await readFile(file, "utf8")) as StoredTokens
    expect(stored.refresh_token).not.toBe(refresh_token)
    expect(stored).not.toHaveProperty("refreshing_since")
    const next = worker()
    expect([await next.ended, next.output()]).toEqual([0, "done\n"])
  })

  it("worker.mjs: exits with 2 after an uncertain refresh, because only the user can help: they connect again", async () => {
    const file = join(folder, "uncertain.json")
    const uncertain = { access_token: "a", refresh_token: "r", expires_at: 0, scope: "", sub: "", refreshing_since: 1 }
    await writeFile(file, JSON.stringify(uncertain))
    const worker = startExample("worker.mjs", { ...environment(), TOKENS: file, SINCE: "2026-01-01T00:00:00Z" })
    expect(await worker.ended).toBe(2)
    expect(worker.output()).toContain("refresh_uncertain: ")
  })
})

/** Runs in the page: changes the stored tokens. */
const changeTokens = (change: Partial<StoredTokens>): string => `new Promise((resolve, reject) => {
  const opening = indexedDB.open("place-access", 1)
  opening.onsuccess = () => {
    const transaction = opening.result.transaction("tokens", "readwrite")
    const kept = transaction.objectStore("tokens")
    const asked = kept.get("tokens")
    asked.onsuccess = () => kept.put({ ...asked.result, ...${JSON.stringify(change)} }, "tokens")
    transaction.oncomplete = () => { opening.result.close(); resolve() }
    transaction.onabort = () => reject(transaction.error)
  }
})`

describeBrowser("browser/: the page of an app, with PKCE, in two tabs", () => {
  let at: Watched
  beforeAll(async () => {
    at = await watched()
  })
  afterAll(() => at.close())

  it("the user connects on the consent page, both tabs know where they are, one tab refreshes, and the page says when to connect again", async () => {
    const appUrl = `http://127.0.0.1:${await freePort()}`
    const app = await appAt(at.world, `${appUrl}/`)
    await atHome(at.world, app, [1])
    const example = startExample("browser/server.mjs", {
      SERVICE: at.world.url,
      CLIENT_ID: app.app.id,
      CLIENT_SECRET: app.clientSecret,
      PORT: new URL(appUrl).port
    })
    await example.hasWritten("listening on port")
    const context = await (await theBrowser()).newContext()
    const sent: Array<string> = []
    context.on("request", (request) => sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ""}`))
    const refreshed: Array<number> = []
    context.on("response", (response) => {
      if (response.request().postData()?.includes("grant_type=refresh_token") === true) {
        refreshed.push(response.status())
      }
    })
    try {
      await signInAs(context, at.world.url, app.person)
      const page = await context.newPage()
      await page.goto(appUrl)
      expect((await page.locator("body").innerText()).split(/\s*\n\s*/)[0]).toBe("Umbrella")
      await page.getByRole("button", { name: "Connect", exact: true }).click()
      await page.getByLabel("Home").first().check()
      await page.getByRole("button", { name: "Allow", exact: true }).click()
      await page.getByText("Connected.", { exact: true }).waitFor()
      expect(page.url()).toBe(`${appUrl}/`)
      await page.getByRole("button", { name: "Where am I?" }).click()
      await page.getByText("You are at Home.").waitFor()

      // Both tabs find an expired access token and ask for the place at the same time.
      await page.evaluate(changeTokens({ expires_at: 0 }))
      const other = await context.newPage()
      await other.goto(appUrl)
      await other.getByText("Connected.", { exact: true }).waitFor()
      await Promise.all([page, other].map((tab) => tab.evaluate(`document.querySelector("#where").click()`)))
      await other.getByText("You are at Home.").waitFor()
      await page.getByText("You are at Home.").waitFor()
      // A tab repeats a refresh that the service has refused with 503, so these refusals do not count. Exactly
      // one other refresh must have been sent, and it must have succeeded.
      expect(refreshed.filter((status) => status !== 503)).toEqual([200])
      expect(sent.filter((line) => line.includes(app.clientSecret))).toEqual([])

      // `refreshing_since` means that a refresh began and its result is unknown. When the access token has also
      // expired, the user has to connect once more.
      await page.evaluate(changeTokens({ expires_at: 0, refreshing_since: 1 }))
      await page.getByRole("button", { name: "Where am I?" }).click()
      await page.getByText("Not connected.").waitFor()
      await page.evaluate(changeTokens({ expires_at: Date.now() + 3_600_000 }))
      await page.getByRole("button", { name: "Where am I?" }).click()
      await page.getByText("You are at Home.").waitFor()

      await other.getByRole("button", { name: "Disconnect" }).click()
      await other.getByText("Not connected.").waitFor()
      await page.getByRole("button", { name: "Where am I?" }).click()
      await page.getByText("Not connected.").waitFor()
      expect((await app.connection()).endedAt).not.toBeNull()
      expect((await app.connection()).heldScopes).toEqual([CURRENT])
    } finally {
      await context.close()
    }
  })
})
