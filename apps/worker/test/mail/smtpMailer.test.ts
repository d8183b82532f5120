import type { OutgoingMail } from "@place-access/domain/mail"
import { Mailer, MailSending } from "@place-access/domain/mail"
import { Timestamp } from "@place-access/domain/shared"
import { SmtpMailer } from "@place-access/worker"
import { Effect, Either, Redacted } from "effect"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { afterEach, describe, expect, it } from "vitest"
import { parseSender } from "../../src/settings/Smtp.js"

interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
  readonly user: string | undefined
  readonly secure: boolean
}

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** Starts a mail server on a real socket; without TLS unless `options` switch it on. */
const startServer = async (options: SMTPServerOptions = {}) => {
  const received: Array<Received> = []
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        received.push({
          from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8"),
          user: session.user,
          secure: session.secure
        })
        done()
      })
    },
    ...options
  })
  server.on("error", () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  open.push(() => new Promise((resolve) => server.close(() => resolve())))
  return { port: (server.server.address() as AddressInfo).port, received }
}

const MAIL: OutgoingMail = {
  id: "0123456789abcdef0123456789abcdef",
  to: "ada@example.com",
  subject: "Coffee Finder was disconnected – see why",
  text: "First line\n\nSecond line with an é\n.\nhttps://me.example/portal/connections/con_1"
}

const send = (
  port: number,
  mail: Partial<OutgoingMail> = {},
  server: Partial<Parameters<typeof SmtpMailer.layer>[0]["server"]> = {},
  deadline = 5_000,
  mailFrom = "Places & Co <no-reply@places.example>"
) =>
  Effect.flatMap(Mailer, (mailer) => mailer.send({ ...MAIL, ...mail })).pipe(
    Effect.provide(
      SmtpMailer.layer(
        {
          server: { host: "127.0.0.1", port, isSecure: false, login: null, ...server },
          from: Either.getOrThrow(parseSender(mailFrom))
        },
        { deadline }
      )
    ),
    Effect.runPromise
  )

/** Sends messages at the same time, at most `MailSending.AT_ONCE`, over the connections of one mailer. */
const sendAll = (port: number, count: number, deadline: number) =>
  Effect.flatMap(Mailer, (mailer) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => index),
      (index) => Effect.map(mailer.send({ ...MAIL, id: `${index}` }), ({ _tag }) => _tag),
      { concurrency: MailSending.AT_ONCE }
    )
  ).pipe(
    Effect.provide(
      SmtpMailer.layer(
        {
          server: { host: "127.0.0.1", port, isSecure: false, login: null },
          from: Either.getOrThrow(parseSender("no-reply@places.example"))
        },
        { deadline }
      )
    ),
    Effect.runPromise
  )

const header = (raw: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)$`, "mi").exec(raw)?.[1]?.replace(/\r\n[ \t]/g, " ")

/** The text of a quoted-printable message. */
const textOf = (raw: string) =>
  Buffer.from(
    raw
      .slice(raw.indexOf("\r\n\r\n") + 4)
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1"
  )
    .toString("utf8")
    .replaceAll("\r\n", "\n")
    .trimEnd()

const fails = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

describe("SmtpMailer, over a socket", () => {
  it("hands over text, sender, one recipient and a Message-ID that is made of the message's id", async () => {
    const { port, received } = await startServer()
    expect(await send(port)).toEqual({ _tag: "Sent" })
    const [mail] = received
    expect([mail?.from, mail?.to]).toEqual(["no-reply@places.example", ["ada@example.com"]])
    const raw = mail?.raw ?? ""
    expect(header(raw, "Message-ID")).toBe("<0123456789abcdef0123456789abcdef@places.example>")
    expect(header(raw, "To")).toBe("ada@example.com")
    expect(header(raw, "Auto-Submitted")).toBe("auto-generated")
    expect(header(raw, "Content-Type")).toMatch(/^text\/plain; charset=utf-8/)
    expect(header(raw, "Subject")).toContain("=?UTF-8?")
    expect(textOf(raw)).toBe(MAIL.text)
  })

  it.each([
    ["Places & Co <no-reply@places.example>", '"Places & Co" <no-reply@places.example>'],
    ["Acme: Places <no-reply@places.example>", '"Acme: Places" <no-reply@places.example>'],
    ["Places, Inc. (EU); West <no-reply@places.example>", '"Places, Inc. (EU); West" <no-reply@places.example>'],
    ["no-reply@places.example", "no-reply@places.example"]
  ])("names the sender as MAIL_FROM does: %s", async (mailFrom, from) => {
    const { port, received } = await startServer()
    expect(await send(port, {}, {}, 5_000, mailFrom)).toEqual({ _tag: "Sent" })
    expect(received[0]?.from).toBe("no-reply@places.example")
    expect(header(received[0]?.raw ?? "", "From")).toBe(from)
  })

  it("the same message again has the same Message-ID [mail-4]", async () => {
    const { port, received } = await startServer()
    await send(port)
    await send(port)
    expect(new Set(received.map(({ raw }) => header(raw, "Message-ID"))).size).toBe(1)
  })

  it("a subject cannot add a header, nor an address a recipient", async () => {
    const { port, received } = await startServer()
    await send(port, { subject: "Hello\r\nBcc: eve@example.com" })
    await send(port, { to: "ada@example.com, eve@example.com" })
    expect(received.flatMap(({ to }) => to).filter((to) => to === "eve@example.com")).toEqual([])
    expect(header(received[0]?.raw ?? "", "Bcc")).toBeUndefined()
  })

  it.each([
    [550, "5.1.1 No such user here", "Refused"],
    [550, "No such user here", "Refused"],
    [553, "Mailbox name not allowed", "Refused"],
    [551, "5.2.1 Mailbox disabled", "Refused"],
    [550, "5.1.3 Bad recipient address syntax", "Refused"],
    [550, "5.1.6 Recipient has moved", "Refused"],
    [550, "5.1.10 Recipient not found", "Refused"],
    [550, "Unknown recipient", "Refused"],
    [550, "relay not permitted", "NotSent"],
    [550, "<ada@mailbox.example>: relay not permitted", "NotSent"],
    [550, "<sender@example.com>: no such mailbox", "Refused"],
    [553, "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", "NotSent"],
    [550, "Sender verify failed", "NotSent"],
    [550, "5.1.0 Sender address rejected: User unknown in virtual mailbox table", "NotSent"],
    [550, "5.1.8 Sender address rejected: Domain not found", "NotSent"],
    [552, "5.2.2 Mailbox full", "NotSent"],
    [550, "5.7.1 Relaying denied", "NotSent"],
    [554, "5.7.1 Blocked for its reputation", "NotSent"],
    [530, "5.7.0 Sign in first", "NotSent"],
    [451, "4.7.1 Greylisted, come again", "NotSent"],
    [452, "4.2.2 Mailbox full", "NotSent"]
  ] as const)(
    "the recipient is answered %d %s: %s, with those words, but no address, as the reason [mail-3]",
    async (code, text, tag) => {
      const { port } = await startServer({ onRcptTo: (_, __, done) => done(fails(code, text)) })
      const words = text.replace(/\S+@\S+/, "…")
      expect(await send(port)).toEqual({ _tag: tag, reason: expect.stringContaining(words) })
    }
  )

  it("a sender that is refused, or contents, can wait for somebody to put it right", async () => {
    const sender = await startServer({ onMailFrom: (_, __, done) => done(fails(550, "5.1.8 Not your domain")) })
    expect(await send(sender.port)).toMatchObject({ _tag: "NotSent" })
    const contents = await startServer({
      onData: (stream, _, done) => {
        stream.resume()
        stream.on("end", () => done(fails(554, "5.6.0 Not wanted")))
      }
    })
    expect(await send(contents.port)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("Not wanted") })
  })

  it("nobody listens: not sent, with the reason", async () => {
    const { port } = await startServer()
    await open.pop()?.()
    expect(await send(port)).toMatchObject({ _tag: "NotSent", reason: expect.stringContaining("ECONNREFUSED") })
  })

  it("a server that says nothing is not waited for beyond the deadline", async () => {
    const silent = createServer((socket) => void setTimeout(() => socket.destroy(), 400))
    await new Promise<void>((resolve) => void silent.listen(0, "127.0.0.1", resolve))
    open.push(() => new Promise((resolve) => silent.close(() => resolve())))
    const { port } = silent.address() as AddressInfo
    expect(await send(port, {}, {}, 200)).toEqual({ _tag: "NotSent", reason: "the mail server takes too long" })
  })

  it("a message that the server does not take within the deadline leaves its connection to the next message", async () => {
    let seen = 0
    const { port } = await startServer({
      onData: (stream, _, done) => {
        stream.resume()
        stream.on("end", () => {
          if (seen++ >= MailSending.AT_ONCE) done()
        })
      }
    })
    const tags = await sendAll(port, MailSending.AT_ONCE + 1, 500)
    expect(tags).toEqual([...Array.from({ length: MailSending.AT_ONCE }, () => "NotSent"), "Sent"])
  })

  it("a server may take ten minutes to answer a message that it has [mail-3]", () => {
    expect(MailSending.DEADLINE).toBeGreaterThan(10.5 * Timestamp.MINUTE)
  })

  it("signs in; a wrong password is not sent, and does not stand in the reason", async () => {
    const options: SMTPServerOptions = {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ password, username }, _, done) =>
        password === "right" ? done(null, { user: username }) : done(fails(535, "5.7.8 Wrong"))
    }
    const { port, received } = await startServer(options)
    const login = (password: string) => ({ login: { user: "places", password: Redacted.make(password) } })
    expect(await send(port, {}, login("right"))).toEqual({ _tag: "Sent" })
    expect(received.map(({ user }) => user)).toEqual(["places"])
    const wrong = await send(port, {}, login("hunter2"))
    expect(wrong).toMatchObject({ _tag: "NotSent" })
    expect(JSON.stringify(wrong)).not.toContain("hunter2")
  })

  it("TLS: a certificate that nobody vouches for is not spoken to, at once or after STARTTLS [mail-5]", async () => {
    const secure = await startServer({ secure: true, disabledCommands: [] })
    expect(await send(secure.port, {}, { isSecure: true })).toMatchObject({
      _tag: "NotSent",
      reason: expect.stringMatching(/certificate/)
    })
    const upgraded = await startServer({ disabledCommands: [] })
    expect(await send(upgraded.port)).toMatchObject({
      _tag: "NotSent",
      reason: expect.stringMatching(/certificate/)
    })
    expect([...secure.received, ...upgraded.received]).toEqual([])
  })

  it("a password does not travel to another machine in the clear [mail-5]", async () => {
    const { port, received } = await startServer({
      allowInsecureAuth: true,
      onAuth: ({ username }, _, done) => done(null, { user: username })
    })
    // 127.1 is an address of this machine, but `isLoopback` does not recognize it.
    const outcome = await send(port, {}, { host: "127.1", login: { user: "me", password: Redacted.make("secret") } })
    expect(outcome).toMatchObject({ _tag: "NotSent" })
    expect(received).toEqual([])
  })
})
