// Takes the pictures of docs/pictures again, from the current demo:
//   npm run pictures
// Uses the Chromium at CHROMIUM_PATH, by default /usr/bin/chromium.
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..")
const PICTURES = join(ROOT, "docs/pictures")
/** A larger picture would slow down the page that shows it. */
const BYTES_MAX = 150_000
const WIDTH = 860

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/**
 * Starts the demo and waits for the end of its tour. Returns the account with which to sign in, and a function that
 * stops the demo.
 */
const startDemo = (port) =>
  new Promise((resolve, reject) => {
    const demo = spawn(process.execPath, [join(ROOT, "apps/server/commands-bundle/demo.js"), "--pace", "0"], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"]
    })
    demo.once("exit", (code) => reject(new Error(`the demo ended with ${code}`)))
    let output = ""
    demo.stdout.setEncoding("utf8").on("data", (text) => {
      output += text
      const [, email, password] = /Sign in with\s+(\S+)\s+and the password\s+(\S+)/.exec(output) ?? []
      if (password !== undefined) resolve({ person: { email, password }, stop: () => demo.kill("SIGINT") })
    })
  })

const service = `http://localhost:${await freePort()}`
const { person, stop } = await startDemo(Number(new URL(service).port))
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
})

try {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 600 }, colorScheme: "light" })
  const post = async (path, data) => {
    const answer = await context.request.post(`${service}${path}`, { data, headers: { origin: service } })
    if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
    return answer.status() === 204 ? undefined : answer.json()
  }

  await post("/v1/session", person)
  await post("/v1/user/places", { label: "Home", kind: "home", lat: 52.3702, lon: 4.8952, radius_m: 150 })
  const { id } = await post("/v1/developer/apps", {
    name: "Porch light",
    description: "Turns the light on when you come home",
    scopes: ["location.rules.place", "location.place.current"]
  })
  const callback = "http://127.0.0.1:9/callback"
  await post(`/v1/oauth/clients/${id}`, { redirectUris: [callback] })
  const question = new URLSearchParams({
    client_id: id,
    redirect_uri: callback,
    scope: "location.rules.place location.place.current",
    code_challenge: createHash("sha256").update(randomBytes(32)).digest("base64url"),
    code_challenge_method: "S256",
    state: randomBytes(16).toString("base64url")
  })

  const page = await context.newPage()
  mkdirSync(PICTURES, { recursive: true })
  const take = async (name, address) => {
    const answer = await page.goto(`${service}${address}`)
    if (answer?.status() !== 200) throw new Error(`${address} answered ${answer?.status()}`)
    const path = join(PICTURES, `${name}.png`)
    await page.screenshot({ path, fullPage: true })
    const { size } = statSync(path)
    console.log(`${path}: ${size} bytes`)
    if (size > BYTES_MAX) throw new Error(`${name}.png has more than ${BYTES_MAX} bytes`)
  }
  await take("consent", `/authorize?${question}`)
  await take("access-log", "/portal/access-log")
} finally {
  await browser.close()
  stop()
}
