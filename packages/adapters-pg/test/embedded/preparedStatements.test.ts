import { describe, expect, it } from "vitest"
import { PreparedStatements } from "../../src/embedded/PreparedStatements.js"

/** A message from a client (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const message = (type: string, ...parts: ReadonlyArray<string>): Buffer => {
  const body = Buffer.from(parts.join(""))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}
const parse = (name: string, text: string) => message("P", `${name}\0${text}\0`, "\0\0")
const bind = (name: string) => message("B", `\0${name}\0`, "\0\0", "\0\0", "\0\0")
const close = (name: string) => message("C", `S${name}\0`)
const closePortal = (name: string) => message("C", `P${name}\0`)
const sync = message("S")

const types = (messages: Buffer): string => {
  let found = ""
  for (let at = 0; at < messages.length; at += 1 + messages.readInt32BE(at + 1))
    found += String.fromCharCode(messages[at] ?? 0)
  return found
}

/**
 * Passes several requests of clients to `PreparedStatements`, one after the other. Returns for each request the types
 * of the messages that reach the session.
 */
const seen = (...requests: ReadonlyArray<readonly [messages: ReadonlyArray<Buffer>, hasFailed?: boolean]>) => {
  const statements = new PreparedStatements()
  return requests.map(([given, hasFailed = false]) => {
    const { messages, preparing } = statements.needed(Buffer.concat(given))
    statements.note(preparing, hasFailed)
    return types(messages)
  })
}

const first = [parse("s1", "SELECT $1"), bind("s1"), sync]

describe("statements that connections of one session prepare", () => {
  it("what is prepared is not prepared again", () => {
    expect(seen([first], [first], [[bind("s1"), sync]])).toEqual(["PBS", "BS", "BS"])
  })

  it("a name of another text goes through, so that the server refuses it", () => {
    expect(seen([first], [[parse("s1", "SELECT $1, 2"), sync]])).toEqual(["PBS", "PS"])
  })

  it("what has no name is prepared each time", () => {
    const unnamed = [parse("", "SELECT $1"), bind(""), sync]
    expect(seen([unnamed], [unnamed])).toEqual(["PBS", "PBS"])
  })

  it("after a failure a name is closed before it is prepared again, once", () => {
    expect(seen([first, true], [first], [first])).toEqual(["PBS", "CPBS", "BS"])
    expect(seen([first, true], [first, true], [first])).toEqual(["PBS", "CPBS", "CPBS"])
  })

  it("a failed request takes no name from the connections that rely on it", () => {
    const more = [bind("s1"), parse("s2", "SELECT 2"), sync]
    expect(seen([first], [more, true], [first], [more])).toEqual(["PBS", "BPS", "BS", "BCPS"])
  })

  it("no connection closes what another one has prepared; what nobody has prepared is closed", () => {
    expect(seen([first], [[close("s1"), ...first]], [[close("s9"), sync]])).toEqual(["PBS", "BS", "CS"])
  })

  it("portals are closed as asked", () => {
    expect(seen([first], [[closePortal("s1"), sync]])).toEqual(["PBS", "CS"])
  })
})
