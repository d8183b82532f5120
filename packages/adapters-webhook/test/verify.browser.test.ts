import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeBrowser, theBrowser } from "../../domain/test/support/chromium.js"
import { published } from "./support/vectors.js"

/**
 * The code that a page and a web worker share. It checks every vector, and returns the vectors whose result is not the
 * expected one.
 */
const CHECK = `
  import { verify } from "/verify.js"
  const bytesOf = ({ body, body_hex }) =>
    body_hex === undefined ? body : Uint8Array.from(body_hex.match(/../g), (hex) => parseInt(hex, 16)).buffer
  export const check = async () => {
    const { vectors } = await (await fetch("/vectors.json")).json()
    const wrong = []
    for (const vector of vectors) {
      const { header, now_s, ok, reason, secrets, tolerance_s } = vector
      const payload = bytesOf(vector)
      const result = await verify({ payload, header, secrets, toleranceS: tolerance_s, now: now_s * 1000 })
      if (result.ok !== ok || (result.ok ? null : result.reason) !== reason) wrong.push(vector.name)
    }
    return { checked: vectors.length, wrong }
  }`

const WORKER = `import { check } from "/check.js"\nonmessage = () => check().then(postMessage, (error) => postMessage(String(error)))`

const IN_PAGE = `import("/check.js").then(({ check }) => check())`
const IN_WORKER = `new Promise((resolve, reject) => {
  const worker = new Worker("/worker.js", { type: "module" })
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message))
  worker.postMessage("go")
})`
const GENUINE_IN_PAGE = `Promise.all([import("/verify.js"), fetch("/vectors.json").then((found) => found.json())]).then(
  ([{ verify }, { vectors: [{ body, header, now_s, secrets }] }]) =>
    verify({ payload: body, header, secrets, now: now_s * 1000 }))`

const built = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

/** Serves the built module to pages of any host name. */
const serve = async (): Promise<Server> => {
  const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
    "/": ["text/html", "<!doctype html><title>verify</title>"],
    "/verify.js": ["text/javascript", built("dist/verify.js")],
    "/check.js": ["text/javascript", CHECK],
    "/worker.js": ["text/javascript", WORKER],
    "/vectors.json": ["application/json", built("vectors.json")]
  }
  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ""] ?? ["text/plain", ""]
    response.writeHead(content === "" ? 404 : 200, { "content-type": type }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

describeBrowser("verify in a browser", () => {
  let server: Server
  let page: Page
  let port: number

  beforeAll(async () => {
    server = await serve()
    port = (server.address() as AddressInfo).port
    page = await (await theBrowser()).newPage()
  })
  afterAll(async () => {
    await page?.close()
    server?.closeAllConnections()
    server?.close()
  })

  const all = { checked: published().vectors.length, wrong: [] }

  it("agrees with every vector in a page", async () => {
    await page.goto(`http://localhost:${port}/`)
    expect(await page.evaluate(IN_PAGE)).toEqual(all)
  })

  it("agrees with every vector in a worker", async () => {
    await page.goto(`http://localhost:${port}/`)
    expect(await page.evaluate(IN_WORKER)).toEqual(all)
  })

  it("says what is missing where there is no Web Crypto: in a page that did not come over https", async () => {
    await page.goto(`http://insecure.test:${port}/`)
    expect(await page.evaluate("isSecureContext")).toBe(false)
    expect(await page.evaluate(GENUINE_IN_PAGE)).toMatchObject({ ok: false, reason: "no_web_crypto" })
  })
})
