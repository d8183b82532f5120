import { rm } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeDataFolder } from "../../../packages/adapters-pg/test/support/embedded.js"
import { describeServers } from "../../../packages/adapters-pg/test/support/postgres.js"
import { answerConsent, authorizeUrl } from "./support/consent.js"
import { createApp, RULES_SCOPE } from "./support/people.js"
import { type Letter, startMailServer } from "./support/mailServer.js"
import { pkce } from "./support/pkce.js"
import { freePort } from "./support/freePort.js"
import { ready, useProcesses } from "./support/processes.js"
import { signUpByMail, tokenIn } from "./support/signUpByMail.js"
import { until } from "./support/until.js"

type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** A user allows an app and then disconnects it. Returns the connection's id. */
const connectAndLeave = async (baseUrl: string, mail: MailServer) => {
  const user = await signUpByMail(baseUrl, mail)
  const app = await createApp(user, "http://127.0.0.1:9/callback")
  await answerConsent(user.as, authorizeUrl(baseUrl, app, [RULES_SCOPE], pkce()), { places: [] })
  const listed = await user.as.call("GET", "/v1/user/connections")
  const { connections } = listed.json as { readonly connections: ReadonlyArray<{ readonly id: string }> }
  const id = connections[0]?.id ?? ""
  await user.as.call("DELETE", `/v1/user/connections/${id}`)
  return { id, user }
}

const subjects = (letters: ReadonlyArray<Letter>) =>
  letters.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim() ?? "").sort()

const SUBJECTS = ["Confirm your e-mail address", "You connected Umbrella", "You disconnected Umbrella"]

describe("mail, from a decision to a mail server", () => {
  const processes = useProcesses()
  let dataDir: string
  let mail: Awaited<ReturnType<typeof startMailServer>>
  beforeAll(async () => {
    ;[dataDir, mail] = await Promise.all([makeDataFolder(), startMailServer()])
  })
  afterAll(async () => {
    await mail.close()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })

  it("the embedded server sends its own: receipts to the user, with links to the connection; no mailbox page", async () => {
    const port = await freePort()
    const baseUrl = `http://localhost:${port}`
    const server = processes.start("server", { DATA_DIR: dataDir, PORT: String(port), ...mail.settings })
    await ready(server, baseUrl)
    const { id, user } = await connectAndLeave(baseUrl, mail)
    await until("the link and both receipts", () => (mail.letters.length >= 3 ? true : undefined))
    expect(subjects(mail.letters)).toEqual(SUBJECTS)
    for (const { raw, to } of mail.letters) {
      expect(to).toBe(user.email)
      expect(raw).toContain(tokenIn({ raw, to }) === undefined ? `${baseUrl}/portal/connections/${id}` : baseUrl)
      expect(raw).toContain("From: Places <no-reply@places.example>")
    }
    expect((await user.as.call("GET", "/dev/mailbox")).status).toBe(404)
    await server.stop("SIGTERM")
  })
})

describeServers("mail, sent by workers", ({ migratedDatabase }) => {
  const processes = useProcesses()
  it("a server leaves it to the workers; two of them send each message once", async () => {
    const [database, mail, port] = await Promise.all([migratedDatabase(), startMailServer(), freePort()])
    const baseUrl = `http://localhost:${port}`
    const settings = { DATABASE_URL: database.url, SECRET_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}` }
    const server = processes.start("server", { ...settings, PORT: String(port), ...mail.settings })
    const workers = [1, 2].map(() => processes.start("worker", { ...settings, BASE_URL: baseUrl, ...mail.settings }))
    await ready(server, baseUrl)
    const { id } = await connectAndLeave(baseUrl, mail)
    await until("the link and both receipts", () => (mail.letters.length >= 3 ? true : undefined))
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect(subjects(mail.letters)).toEqual(SUBJECTS)
    const receipts = mail.letters.filter((letter) => tokenIn(letter) === undefined)
    expect(receipts.every(({ raw }) => raw.includes(`${baseUrl}/portal/connections/${id}`))).toBe(true)
    await Promise.all([server, ...workers].map((one) => one.stop("SIGTERM")))
    await Promise.all([database.drop(), mail.close()])
  })
})
