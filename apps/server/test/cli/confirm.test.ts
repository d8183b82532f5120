import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import { confirmBy } from "../../src/cli/accounts.js"

const outcome = async (ask: () => Promise<string>): Promise<string> =>
  Either.match(await Effect.runPromise(Effect.either(confirmBy(ask, "ada@example.com"))), {
    onLeft: ({ message }) => message,
    onRight: () => "confirmed"
  })

describe("the question before an account is deleted", () => {
  it("is answered by the address of the account", async () => {
    expect(await outcome(async () => " Ada@Example.com ")).toBe("confirmed")
    expect(await outcome(async () => "ada@example.org")).toBe("That is another address. Nothing was changed.")
  })

  it("says that nothing was changed when the operator ends it with Control-C or Control-D", async () => {
    // Node's `question` rejects with this error after Control-C and after Control-D.
    const ended = Object.assign(new Error("Aborted with Ctrl+C"), { name: "AbortError" })
    expect(await outcome(() => Promise.reject(ended))).toBe("Nothing was changed.")
  })
})
