import { Conflict, Forbidden, Invalid, NotFound, Problem, StoreError, Vault } from "@place-access/domain/shared"
import { Cause, Effect, Exit, Logger, LogLevel } from "effect"
import { describe, expect, it } from "vitest"
import * as Errors from "@place-access/adapters-http/wire/Errors"
import { type Shared, toWire } from "@place-access/adapters-http/wire/toWire"

const outcome = (error: Shared | Errors.WireError) =>
  Exit.match(Effect.runSyncExit(Logger.withMinimumLogLevel(toWire(Effect.fail(error)), LogLevel.None)), {
    onSuccess: () => "success",
    onFailure: (cause) => (Cause.isDie(cause) ? "defect" : Errors.encode(Cause.squash(cause) as Errors.WireError))
  })

describe("toWire", () => {
  it("several problems at once are an array, one is a string; each begins with its field", () => {
    const one = new Problem({ field: "radius_m", message: "must be a number from 100 to 10000" })
    const other = new Problem({ field: "label", message: "must not be empty" })
    expect(outcome(new Invalid({ problems: [one] }))).toEqual({
      statusCode: 400,
      error: "validation_failed",
      message: "radius_m must be a number from 100 to 10000"
    })
    expect(outcome(new Invalid({ problems: [one, other] }))).toMatchObject({
      message: ["radius_m must be a number from 100 to 10000", "label must not be empty"]
    })
  })

  it("the domain's words reach the client, causes do not", () => {
    expect(outcome(new NotFound({ what: "place" }))).toMatchObject({ statusCode: 404, message: "No such place" })
    expect(outcome(new Forbidden({ reason: "sign-up is closed" }))).toMatchObject({
      statusCode: 403,
      error: "forbidden"
    })
    expect(outcome(new Conflict({ reason: "taken" }))).toEqual({ statusCode: 409, error: "conflict", message: "taken" })
    const away = outcome(StoreError.unavailable("connection to 10.0.0.5 refused"))
    expect(away).toMatchObject({ statusCode: 503, error: "unavailable" })
    expect(JSON.stringify(away)).not.toContain("10.0.0.5")
  })

  it("what trying again cannot help is a defect", () => {
    expect(outcome(StoreError.broken("no such column"))).toBe("defect")
    expect(outcome(new Vault.VaultError({ reason: "no such key" }))).toBe("defect")
  })

  it("an error of the wire passes as it is", () => {
    expect(outcome(Errors.invalidToken)).toEqual(Errors.encode(Errors.invalidToken))
    expect(Errors.headersOf(Errors.unavailable)).toEqual({ "retry-after": "5" })
    expect(Errors.headersOf(Errors.rateLimited(0.2))).toEqual({ "retry-after": "1" })
    expect(Errors.headersOf(Errors.invalidClient(false))).toEqual({})
    expect(Errors.headersOf(Errors.invalidClient(true))["www-authenticate"]).toMatch(/^Basic /)
  })
})
