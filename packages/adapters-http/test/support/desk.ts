import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest"
import type { App } from "@place-access/domain/apps"
import { theBrowser } from "../../../domain/test/support/chromium.js"
import { signInAs } from "./browser.js"
import { type Person, startWorld, type World, type WorldOptions } from "./World.js"

const VIEWPORT = { width: 1280, height: 720 }

/**
 * A running service (`World`), a browser with one page, and the web server of an app, to which the app's users return.
 */
export interface Desk {
  readonly world: World
  readonly page: Page
  readonly context: BrowserContext
  /** A redirect URI of the app's server, which redirects the browser to another host of the app. */
  readonly callback: string
  /** The address to which the app's server redirects people. */
  readonly welcome: string
  readonly as: (person: Person) => Promise<void>
  /** The address to which an app sends its user. The state is `state-of-the-app`. */
  readonly authorize: (app: Pick<App.App, "id">, scopes: string, more?: Readonly<Record<string, string>>) => string
  /** Waits until the browser is back at the app, and returns the parameters that it brought. */
  readonly back: (page?: Page) => Promise<URLSearchParams>
  /** Announces a text that this test expects in the browser's console. */
  readonly expectFault: (part: string) => void
}

export interface Setting {
  readonly options?: WorldOptions
  readonly browser?: BrowserContextOptions
}

/**
 * Resets the page after a test, and leaves it at `blank`, an address of the service without a page. A new page would
 * make the browser start a process, which costs a second of processor time. With `about:blank`, the browser would start
 * a process when it loads the next page.
 */
const reset = async (context: BrowserContext, page: Page, blank: string): Promise<void> => {
  await Promise.all(context.pages().map((other) => (other === page ? undefined : other.close())))
  await page.unrouteAll()
  await page.goto(blank)
  await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null })
  await page.setViewportSize(VIEWPORT)
  await context.clearCookies()
}

/**
 * Call this function inside a `describe`, which gets a new desk; the page is reset after each test. A test fails when
 * the browser reports a fault, such as something that the Content-Security-Policy blocks.
 */
export const desk = ({ browser: settings, options }: Setting = {}): Desk => {
  const there: {
    world?: World
    context?: BrowserContext
    page?: Page
    callback?: string
    welcome?: string
  } = {}
  const servers: Array<Server> = []
  const faults: Array<string> = []
  const expected: Array<string> = []
  const get = <Key extends keyof typeof there>(key: Key): NonNullable<(typeof there)[Key]> => {
    const found = there[key]
    if (found === undefined) throw new Error("the desk is there inside tests only")
    return found
  }
  const listen = async (server: Server): Promise<string> => {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  beforeAll(async () => {
    there.world = await startWorld(options)
    const context = await (await theBrowser()).newContext({ viewport: VIEWPORT, ...settings })
    context.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("Failed to load resource")) faults.push(message.text())
    })
    context.on("weberror", (error) => faults.push(String(error.error())))
    there.context = context
    there.page = await context.newPage()
    const welcome = `${await listen(createServer((_, response) => response.end("<title>Welcome back</title>")))}/welcome`
    there.welcome = welcome
    const app = createServer((request, response) => {
      response.writeHead(302, { location: welcome + new URL(request.url ?? "/", "http://app.invalid").search }).end()
    })
    there.callback = `${await listen(app)}/callback`
  })
  afterAll(async () => {
    await there.context?.close()
    await there.world?.close()
    for (const server of servers) server.close()
  })
  beforeEach(() => {
    faults.length = 0
    expected.length = 0
  })
  afterEach(async () => {
    await reset(get("context"), get("page"), `${get("world").url}/healthz`)
    expect(faults.filter((fault) => !expected.some((part) => fault.includes(part)))).toEqual([])
  })

  return {
    get world() {
      return get("world")
    },
    get page() {
      return get("page")
    },
    get context() {
      return get("context")
    },
    get callback() {
      return get("callback")
    },
    get welcome() {
      return get("welcome")
    },
    as: (person) => signInAs(get("context"), get("world").url, person),
    authorize: ({ id }, scopes, more = {}) =>
      `${get("world").url}/authorize?${new URLSearchParams({
        client_id: id,
        redirect_uri: get("callback"),
        scope: scopes,
        code_challenge: "A".repeat(43),
        code_challenge_method: "S256",
        state: "state-of-the-app",
        ...more
      }).toString()}`,
    back: async (page = get("page")) => {
      await page.waitForURL((url) => url.href.startsWith(get("welcome")))
      return new URL(page.url()).searchParams
    },
    expectFault: (part) => void expected.push(part)
  }
}
