// Serves the page, and forwards the page's calls to the service. A page cannot keep a client secret, so this server
// adds the secret to the two calls that need it. Start it with this command:
//
//     SERVICE=https://… CLIENT_ID=… CLIENT_SECRET=… node server.mjs
//
// Register the address of this server, with a slash at its end, as the app's redirect address. In production, serve the
// page over https.
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const { CLIENT_ID, CLIENT_SECRET, PORT = "3000", SERVICE } = process.env
const HERE = dirname(fileURLToPath(import.meta.url))
const CLIENT = dirname(fileURLToPath(import.meta.resolve("@place-access/adapters-http/client")))
const BODY_MAX = 65_536

const bodyOf = async (request) => {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > BODY_MAX) throw new Error("the body is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// The headers that this server forwards to the service, and the headers that it returns to the page.
const PASSED = ["accept", "authorization", "content-type", "idempotency-key"]
const RETURNED = ["content-type", "retry-after", "x-request-id"]
const pick = (names, get) => Object.fromEntries(names.flatMap((name) => (get(name) ? [[name, get(name)]] : [])))

const pass = async (request, path) => {
  const body = request.method === "GET" ? undefined : await bodyOf(request)
  const needsSecret = path === "/v1/oauth/token" || path === "/v1/oauth/revoke"
  const form = needsSecret ? new URLSearchParams(String(body)) : undefined
  form?.set("client_secret", CLIENT_SECRET)
  const answer = await fetch(SERVICE + path, {
    method: request.method,
    headers: pick(PASSED, (name) => request.headers[name]),
    body: form === undefined ? body : String(form)
  })
  const headers = { ...pick(RETURNED, (name) => answer.headers.get(name)), "cache-control": "no-store" }
  return { status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer()) }
}

const file = async (path, type) => ({ status: 200, headers: { "content-type": type }, body: await readFile(path) })

const answerTo = (request) => {
  const { pathname, search } = new URL(request.url, "http://localhost")
  if (pathname.startsWith("/place-access/v1/")) return pass(request, pathname.slice("/place-access".length) + search)
  if (pathname === "/") return file(join(HERE, "index.html"), "text/html; charset=utf-8")
  if (pathname === "/app.js") return file(join(HERE, "app.js"), "text/javascript")
  if (pathname === "/config.json") {
    const body = JSON.stringify({ clientId: CLIENT_ID, authorizeUrl: `${SERVICE}/authorize` })
    return { status: 200, headers: { "content-type": "application/json" }, body }
  }
  if (/^\/client\/\w+\.js$/.test(pathname)) return file(join(CLIENT, basename(pathname)), "text/javascript")
  return { status: 404, headers: {}, body: "" }
}

const server = createServer(async (request, response) => {
  try {
    const { body, headers, status } = await answerTo(request)
    response.writeHead(status, headers).end(body)
  } catch (error) {
    console.error(error)
    response.writeHead(502).end()
  }
})
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`))
