import { toAnswer } from "../src/Trouble.js"
import { describe, expect, it } from "vitest"

const withCode = (code: string) => Object.assign(new Error(code), { code })

describe("why a webhook was not delivered", () => {
  it("with several addresses, the error of the last one that was tried", () => {
    const tried = [withCode("ECONNREFUSED"), withCode("ETIMEDOUT")]
    // Node gives the whole the code of its first error.
    const all = Object.assign(new AggregateError(tried), { code: "ECONNREFUSED" })
    const failed = new TypeError("fetch failed", { cause: all })
    expect(toAnswer(failed)).toEqual({ _tag: "Unreachable", detail: "connection timed out" })
  })
})
