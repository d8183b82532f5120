import { ConfigReport, Mail, Settings } from "@place-access/worker"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Either, Logger, Redacted } from "effect"

const read = (environment: Readonly<Record<string, string>>) =>
  ConfigReport.read(Settings.mail).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
    Effect.either,
    Effect.runSync
  )
const refusal = (environment: Readonly<Record<string, string>>): string =>
  Either.match(read(environment), { onLeft: ({ message }) => message, onRight: () => "accepted" })

const FROM = "Places <no-reply@example.com>"

describe("SMTP_URL and MAIL_FROM", () => {
  it("without SMTP_URL no mail is sent, whatever MAIL_FROM says", () => {
    expect(read({})).toEqual(Either.right(null))
    expect(read({ MAIL_FROM: FROM })).toEqual(Either.right(null))
  })

  it("smtp: port 587 unless it names another; smtps: 465, TLS from the start", () => {
    const server = (url: string) => Either.getOrThrow(read({ SMTP_URL: url, MAIL_FROM: FROM }))?.server
    expect(server("smtp://mail.example.com")).toEqual({
      host: "mail.example.com",
      port: 587,
      isSecure: false,
      login: null
    })
    expect(server("smtp://localhost:1025/")).toMatchObject({ host: "localhost", port: 1025 })
    expect(server("smtps://mail.example.com")).toMatchObject({ port: 465, isSecure: true })
    expect(server("smtp://[::1]:25")).toMatchObject({ host: "::1", port: 25 })
  })

  it("user and password may be percent-encoded, and are never shown", () => {
    const mail = Either.getOrThrow(
      read({ SMTP_URL: "smtp://me%40example.com:p%2Fss%3Aw%40rd@mail.example.com", MAIL_FROM: FROM })
    )
    expect(mail?.server.login?.user).toBe("me@example.com")
    expect(mail?.server.login && Redacted.value(mail.server.login.password)).toBe("p/ss:w@rd")
    expect(JSON.stringify(mail)).not.toContain("p/ss")
  })

  it("refuses what is no such address, without repeating it", () => {
    for (const url of [
      "mail.example.com",
      "https://me:hunter2@mail.example.com",
      "smtp://me:hunter2@mail.example.com/path",
      "smtp://me:hunter2@mail.example.com?pool=true",
      "smtp://me:%E0%A4%A@mail.example.com",
      "smtp://hunter2@mail.example.com",
      "smtp:///x"
    ]) {
      const message = refusal({ SMTP_URL: url, MAIL_FROM: FROM })
      expect([url, message]).toEqual([url, expect.stringContaining("SMTP_URL must be an address such as smtp://")])
      expect(message).not.toContain("hunter2")
    }
  })

  it("with SMTP_URL refuses to start without MAIL_FROM, saying what it looks like", () => {
    expect(refusal({ SMTP_URL: "smtp://mail.example.com" })).toContain(
      "MAIL_FROM is required with SMTP_URL: the sender of e-mail, such as Places <no-reply@example.com>"
    )
  })

  it("MAIL_FROM is one address, with or without a name", () => {
    const from = (text: string) => Either.getOrThrow(read({ SMTP_URL: "smtp://m", MAIL_FROM: text }))?.from
    expect(from("no-reply@example.com")).toEqual({ name: "", address: "no-reply@example.com", domain: "example.com" })
    expect(from("Places & Co <a.b+c@x.example>")).toEqual({
      name: "Places & Co",
      address: "a.b+c@x.example",
      domain: "x.example"
    })
    for (const text of ["nobody", "a@b, c@d", "a@b c@d", "<>", "A <a@b> <c@d>", "A\r\nBcc: x@y <a@b>", "a@"]) {
      expect(refusal({ SMTP_URL: "smtp://m", MAIL_FROM: text })).toContain("MAIL_FROM must be an e-mail address")
    }
  })
})

describe("the mailbox for development", () => {
  const smtp = Either.getOrThrow(read({ SMTP_URL: "smtp://localhost:25", MAIL_FROM: FROM }))
  const at = (baseUrl: string) => ({ port: 8080, baseUrl, authUrl: baseUrl, userPortalUrl: `${baseUrl}/portal` })

  it.each([
    ["http://localhost:8080", true],
    ["http://127.0.0.1:8080", true],
    ["http://[::1]:8080", true],
    ["https://access.example.com", false],
    ["http://localhost.example.com", false],
    ["http://192.168.1.5:8080", false]
  ])("at %s, without a mail server: %s; with one never [mail-5]", (baseUrl, shown) => {
    expect(Mail.hasMailbox(null, at(baseUrl), "127.0.0.1")).toBe(shown)
    expect(Mail.hasMailbox(smtp, at(baseUrl), "127.0.0.1")).toBe(false)
  })

  it.each(["0.0.0.0", "::", "192.168.1.5", "access.example.com"])(
    "with HOST %s there is none, and the start says so: other machines could read it [mail-5]",
    async (host) => {
      expect(Mail.hasMailbox(null, at("http://localhost:8080"), host)).toBe(false)
      const messages: Array<unknown> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void messages.push(message))
      )
      await Effect.runPromise(Effect.provide(Mail.warnings(null, at("http://localhost:8080"), host), logger))
      expect(String(messages)).toContain("/dev/mailbox is off")
      expect(String(messages)).toContain(host)
    }
  )
})
