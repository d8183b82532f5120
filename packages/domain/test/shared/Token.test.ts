import { ConnectionId, Token, UserId } from "@place-access/domain/shared"
import { FastCheck as fc, Option, Schema } from "effect"
import { describe, expect, it } from "vitest"

const SECRET = "s".repeat(43)

describe("tokens", () => {
  it("the route of one that is read is written as an id is: programs take it for one without looking again", () => {
    const [isUser, isConnection] = [Schema.is(UserId), Schema.is(ConnectionId)]
    const route = fc.oneof(
      fc.string({ maxLength: 70 }),
      fc.stringMatching(/^[A-Za-z0-9_-]{0,70}$/),
      fc.stringMatching(/^[A-Za-z0-9_-]{1,63}[\s\S]$/)
    )
    fc.assert(
      fc.property(route, (text) => {
        const read = Token.parse(Token.format("dv", text, SECRET))
        expect(Option.isSome(read)).toBe(isUser(text))
        expect(Option.isSome(read)).toBe(isConnection(text))
      })
    )
  })
})
