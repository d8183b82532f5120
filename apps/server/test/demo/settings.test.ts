import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { settings } from "../../src/demo/settings.js"

describe("the settings of the demo", () => {
  it.effect("are those of a service of its own on this machine, whatever service the environment names", () =>
    Effect.gen(function* () {
      const bare = yield* settings("/tmp/demo", {})
      const ofAnOperator = yield* settings("/tmp/demo", {
        BASE_URL: "https://access.example.com",
        AUTH_URL: "https://auth.example.com",
        USER_PORTAL_URL: "https://portal.example.com",
        HOST: "0.0.0.0",
        SIGN_UP: "closed",
        STAFF_SECOND_FACTOR: "required",
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/nothing",
        SECRET_KEYS: "k1:none",
        SMTP_URL: "smtp://mail.example.com",
        DATA_DIR: "/var/lib/place-access",
        ALLOW_INSECURE_WEBHOOKS: "false"
      })
      expect(ofAnOperator).toEqual(bare)
      expect(bare.addresses.baseUrl).toBe("http://localhost:8080")
      expect(bare.storage).toMatchObject({ _tag: "Embedded", dataDir: "/tmp/demo" })
    })
  )

  it.effect("take the port from the environment; an empty variable is absent", () =>
    Effect.gen(function* () {
      const { addresses, port } = yield* settings("/tmp/demo", { PORT: "9000", LOG_LEVEL: "" })
      expect([port, addresses.baseUrl]).toEqual([9000, "http://localhost:9000"])
      expect((yield* settings("/tmp/demo", { LOG_LEVEL: "" })).logging).toEqual(
        (yield* settings("/tmp/demo", { LOG_LEVEL: "warn" })).logging
      )
    })
  )
})
