import { ConfigReport } from "@place-access/worker"
import { ConfigProvider, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { proxy } from "../src/doctor/reach.js"
import * as ServerSettings from "../src/ServerSettings.js"

const read = (environment: Readonly<Record<string, string>>) =>
  ConfigReport.read(ServerSettings.config).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(environment)))),
    Effect.runSync
  )

describe("the server's settings", () => {
  it("a log of requests that LOG_LEVEL leaves out is worth a warning", () => {
    const warned = (LOG_REQUESTS: string, LOG_LEVEL: string) =>
      ServerSettings.silencedRequests(read({ LOG_REQUESTS, LOG_LEVEL })) !== undefined
    expect(["trace", "debug", "info", "warn", "error"].map((level) => warned("true", level))).toEqual([
      false,
      false,
      false,
      true,
      true
    ])
    expect(warned("false", "error")).toBe(false)
  })

  it("an https address without TRUST_PROXY is worth a warning, of the doctor too [settings-1]", () => {
    const warned = (environment: Readonly<Record<string, string>>) => {
      const settings = read(environment)
      const warning = ServerSettings.unknownClients(settings)
      expect(proxy(settings).map(({ says, state }) => [state, says])).toEqual(
        warning === undefined ? [] : [["warning", warning]]
      )
      return warning !== undefined
    }
    expect(warned({ BASE_URL: "https://access.example.com" })).toBe(true)
    expect(warned({ BASE_URL: "https://access.example.com", TRUST_PROXY: "true" })).toBe(false)
    expect(warned({ BASE_URL: "http://localhost:8080" })).toBe(false)
  })

  it("without any: this machine only, port 8080, sign-up open, no proxy", () => {
    expect(read({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      addresses: {
        baseUrl: "http://localhost:8080",
        authUrl: "http://localhost:8080",
        userPortalUrl: "http://localhost:8080/portal"
      },
      signUp: "open",
      trustProxy: false,
      rateLimitPerMinute: 600,
      tileUrl: null,
      securityContact: null,
      webhooks: { allowInsecure: false }
    })
  })

  it("the addresses follow the port, and then the base address", () => {
    expect(read({ PORT: "9000" }).addresses.baseUrl).toBe("http://localhost:9000")
    expect(read({ PORT: "9000", BASE_URL: "https://api.example.com/" }).addresses).toEqual({
      baseUrl: "https://api.example.com",
      authUrl: "https://api.example.com",
      userPortalUrl: "https://api.example.com/portal"
    })
    expect(read({ AUTH_URL: "https://auth.example.com", USER_PORTAL_URL: "https://me.example.com" }).addresses).toEqual(
      {
        baseUrl: "http://localhost:8080",
        authUrl: "https://auth.example.com",
        userPortalUrl: "https://me.example.com"
      }
    )
  })

  it("SECURITY_CONTACT is a mailto or an https address", () => {
    for (const contact of ["mailto:security@example.com", "https://example.com/report?from=service"]) {
      expect(read({ SECURITY_CONTACT: contact }).securityContact).toBe(contact)
    }
    for (const contact of [
      "security@example.com",
      "http://example.com",
      "mailto:a b@example.com",
      "https://a\nExpires: x"
    ]) {
      expect(() => read({ SECURITY_CONTACT: contact })).toThrow(/SECURITY_CONTACT must be mailto:/)
    }
  })

  it("TILE_URL is one origin, with {z}, {x} and {y}", () => {
    for (const url of [
      "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
      "http://localhost:9000/{z}/{y}/{x}{r}.png?key=secret"
    ]) {
      expect(read({ TILE_URL: url }).tileUrl).toBe(url)
    }
    for (const url of [
      "https://{s}.tiles.example/{z}/{x}/{y}.png",
      "https://{x}.tiles.example/{z}/{x}/{y}.png",
      "https://tiles.example/{z}/{x}.png",
      "tiles.example/{z}/{x}/{y}.png",
      "https://me:secret@tiles.example/{z}/{x}/{y}.png",
      "javascript:{z}{x}{y}",
      "https://tiles.example; script-src *//{z}/{x}/{y}.png"
    ]) {
      expect(() => read({ TILE_URL: url })).toThrow(/TILE_URL must be an address such as/)
    }
  })

  it.each(["BASE_URL", "AUTH_URL", "USER_PORTAL_URL", "TILE_URL", "OTEL_EXPORTER_OTLP_ENDPOINT"])(
    "%s that is wrong is named and not repeated: an address may have a password in it",
    (name) => {
      for (const value of ["http://me:SECRET@host", "http://host/?key=SECRET", "SECRET"]) {
        const refused = () => read({ [name]: value })
        expect(refused).toThrow(new RegExp(`^ *${name} must be an address such as `, "m"))
        expect(refused).not.toThrow(/SECRET/)
      }
    }
  )

  it("metrics have a port of their own", () => {
    expect(() => read({ METRICS_PORT: "8080" })).toThrow("METRICS_PORT must be another port than PORT")
    expect(() => read({ PORT: "9000", METRICS_PORT: "9000" })).toThrow("METRICS_PORT must be another port than PORT")
    expect(read({ PORT: "9000", METRICS_PORT: "9001" }).telemetry.metricsAddress?.port).toBe(9001)
  })

  it("names everything that is wrong at once [decisions §11]", () => {
    expect(() => read({ PORT: "http", SIGN_UP: "maybe", BASE_URL: "example.com", TRUST_PROXY: "on" })).toThrow(
      /PORT must be[\s\S]*BASE_URL must be[\s\S]*SIGN_UP must be[\s\S]*TRUST_PROXY must be/
    )
  })
})
