import { RedirectUri } from "@place-access/domain/apps"
import { Either, FastCheck as fc, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"

const accepts = (text: string) => Either.isRight(Schema.decodeEither(RedirectUri.RedirectUri)(text as never))

describe("redirect URI [§5.5, apps-6]", () => {
  it.each([
    "https://app.example/callback",
    "https://app.example",
    "https://app.example/",
    "https://app.example:8443/cb?tenant=1&x=%2F",
    "https://app.example?x=1",
    "https://App.Example/CaseKept",
    "https://localhost/cb",
    "https://10.0.0.1/cb",
    "https://[2001:db8::1]:8443/cb",
    "https://[1:2:3:4:5:6:7:8]/cb",
    "https://[::]/cb",
    "https://xn--bcher-kva.example/cb",
    "https://my_app.example/@user/cb;v=1",
    "http://localhost/cb",
    "http://localhost:3000/cb",
    "http://localhost:3000",
    "http://127.0.0.1:65535/cb",
    "http://[::1]:1/cb",
    "com.example.app:/oauth",
    "com.example.app://oauth/cb",
    "com.example.app:///cb?x=1",
    `https://app.example/${"a".repeat(2048 - "https://app.example/".length)}`
  ])("takes %s", (text) => {
    expect(accepts(text)).toBe(true)
  })

  it.each([
    ["nothing", ""],
    ["a relative address", "/callback"],
    ["an address without scheme", "//app.example/cb"],
    ["plain http", "http://app.example/cb"],
    ["a user before the host", "https://good.example@evil.example/cb"],
    ["a user and a password", "https://user:password@evil.example/cb"],
    ["an encoded @ in the host", "https://good.example%40evil.example/cb"],
    ["an empty user", "https://@evil.example/cb"],
    ["a fragment", "https://app.example/cb#part"],
    ["an empty fragment", "https://app.example/cb#"],
    ["a backslash for a slash", "https:\\\\evil.example/cb"],
    ["a backslash before the path", "https://evil.example\\.good.example/cb"],
    ["a backslash and a user", "https://evil.example\\@good.example/cb"],
    ["a backslash in the path", "https://app.example/\\evil"],
    ["one slash", "https:/app.example/cb"],
    ["three slashes", "https:///evil.example/cb"],
    ["no host", "https://"],
    ["a port without host", "https://:443/cb"],
    ["port 0", "https://app.example:0/cb"],
    ["port 65536", "https://app.example:65536/cb"],
    ["a port that is no number", "https://app.example:evil/cb"],
    ["an empty port", "https://app.example:/cb"],
    ["an empty label", "https://app..example/cb"],
    ["an encoded host", "https://%61pp.example/cb"],
    ["a pattern", "https://*.app.example/cb"],
    ["javascript", "javascript:alert(1)"],
    ["javascript behind slashes", "javascript://app.example/%0aalert(1)"],
    ["javascript with a dot", "javascript:alert(document.cookie)"],
    ["data", "data:text/html,<script>alert(1)</script>"],
    ["file", "file:///etc/passwd"],
    ["a scheme without dot", "myapp://callback"],
    ["a private scheme with a user", "com.example.app://good@evil/cb"],
    ["a private scheme with a fragment", "com.example.app:/cb#x"],
    ["a private scheme without path", "com.example.app:cb"],
    ["loopback as a prefix of a host", "http://localhost.evil.example/cb"],
    ["loopback as a user", "http://localhost@evil.example/cb"],
    ["loopback as a user and port", "http://localhost:3000@evil.example/cb"],
    ["loopback address as a prefix", "http://127.0.0.1.evil.example/cb"],
    ["another writing of loopback", "http://127.1/cb"],
    ["all addresses", "http://0.0.0.0/cb"],
    ["a private address over http", "http://192.168.0.1/cb"],
    ["a capital scheme", "HTTPS://app.example/cb"],
    ["a blank", "https://app.example/a b"],
    ["a blank before", " https://app.example/cb"],
    ["a line break after", "https://app.example/cb\n"],
    ["a header in it", "https://app.example/cb\r\nSet-Cookie:x=1"],
    ["a tab in the scheme", "java\tscript:alert(1)"],
    ["a NUL", "https://app.example/\u0000"],
    ["a letter that looks like another", "https://аpp.example/cb"],
    ["a letter outside ASCII in the path", "https://app.example/caf\u00e9"],
    ["a full-width solidus", "https://app.example\uff0fevil.example"],
    ["a broken escape", "https://app.example/%zz"],
    ["a host that ends in a number", "https://app.example.1/cb"],
    ["an IPv4 address in one number", "https://2130706433/cb"],
    ["an IPv4 address in hexadecimal", "https://0x7f.1/cb"],
    ["an IPv4 address in octal", "https://0177.0.0.1/cb"],
    ["an IPv4 address out of range", "https://256.0.0.1/cb"],
    ["an IPv6 address too short", "https://[1:2:3]/cb"],
    ["an IPv6 address with two gaps", "https://[1::2::3]/cb"],
    ["an IPv6 address with a zone", "https://[fe80::1%25eth0]/cb"],
    ["markup", "https://app.example/<script>"],
    ["a quote that ends an attribute", 'https://app.example/"onload="x'],
    ["2,049 characters", `https://app.example/${"a".repeat(2049 - "https://app.example/".length)}`]
  ])("refuses %s", (_, text) => {
    expect(accepts(text)).toBe(false)
  })

  it("a browser reads the same host out of what is taken as is written there, and never a user or a fragment", () => {
    const PIECES =
      "https:// http:// https: com.example.app: " +
      "// / \\ @ # ? : :8443 . localhost 127.0.0.1 [::1] [ ] 1 :: app.example evil.example %2f %40 %00 \t é a"
    const piece = fc.constantFrom(...PIECES.split(" "), " ")
    const scheme = fc.constantFrom("https://", "http://", "com.example.app:/")
    let taken = 0
    fc.assert(
      fc.property(scheme, fc.array(piece, { minLength: 1, maxLength: 6 }), (start, pieces) => {
        const text = start + pieces.join("")
        if (accepts(text)) {
          taken++
          expectRead(text)
        }
      }),
      { numRuns: 5_000 }
    )
    expect(taken).toBeGreaterThan(100)
  })
})

const expectRead = (text: string) => {
  const read = new URL(text)
  expect([read.username, read.password, read.hash]).toEqual(["", "", ""])
  const web = /^https?:\/\/([^/?]*)/.exec(text)?.[1]
  expect(read.host).toBe(web === undefined ? read.host : web)
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(read.hostname)
  expect(loopback || read.protocol === "https:" || read.protocol === "com.example.app:").toBe(true)
}

describe("the list that an app registers", () => {
  const problems = (uris: ReadonlyArray<string>) => {
    const result = Schema.decodeUnknownEither(RedirectUri.List, { errors: "all" })(uris)
    return Either.isRight(result)
      ? []
      : ParseResult.ArrayFormatter.formatErrorSync(result.left).map(({ path, message }) => [...path, message].join(" "))
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => `https://app.example/${index}`)

  it("has 1 to 20 addresses", () => {
    expect(problems(many(1))).toEqual([])
    expect(problems(many(20))).toEqual([])
    expect(problems([])).toEqual(["must name at least one address"])
    expect(problems(many(21))).toEqual(["must name at most 20 addresses"])
  })

  it("every bad one is named at once, by its place, and never repeated", () => {
    const found = problems(["https://a.example/secret", "http://evil.example/secret", "nonsense-secret"])
    expect(found).toEqual([expect.stringMatching(/^1 must be/), expect.stringMatching(/^2 must be/)])
    expect(found.join()).not.toContain("secret")
  })

  it("a malformed address and one with a parameter of ours are named at once [apps-6]", () => {
    expect(problems(["ftp://a.example", "https://a.example/cb?code=1"])).toEqual([
      expect.stringMatching(/^0 must be an absolute https address/),
      expect.stringMatching(/^1 must not have code, state, /)
    ])
  })

  it("the same twice is refused; another case or a slash more is another address", () => {
    expect(problems(["https://a.example/x", "https://a.example/y", "https://a.example/x"])).toEqual([
      "2 is the same as an earlier one"
    ])
    expect(problems(["https://a.example/x", "https://a.example/X", "https://a.example/x/"])).toEqual([])
  })

  it.each([
    "https://a.example/cb?code=abc",
    "https://a.example/cb?tenant=1&state=fixed",
    "https://a.example?iss",
    "https://a.example/cb?error&x=1",
    "https://a.example/cb?error_description=",
    "com.example.app:/cb?error_uri=x",
    "https://a.example/cb?%63%6Fde=abc",
    "https://a.example/cb?x=%ff&stat%65=1"
  ])("a parameter that the service adds itself is refused, and works in an address that is stored: %s", (uri) => {
    expect(accepts(uri)).toBe(true)
    expect(problems(["https://a.example/cb", uri])).toEqual([expect.stringMatching(/^1 must not have code, state, /)])
  })

  it("names, values and paths that only resemble such a parameter are taken", () => {
    const uris = [
      "/cb?codes=1",
      "/cb?Code=1",
      "/cb?x=code",
      "/cb?next=/y?code=1",
      "/code=1",
      "/cb?%ff=1",
      "/cb?x-iss=1"
    ]
    expect(problems(uris.map((rest) => `https://a.example${rest}`))).toEqual([])
  })
})

describe("withQuery", () => {
  it.each([
    ["https://a.example/cb", "https://a.example/cb?code=a%26b&state=%20"],
    ["https://a.example/cb?x=1", "https://a.example/cb?x=1&code=a%26b&state=%20"],
    ["https://a.example/cb?", "https://a.example/cb?code=a%26b&state=%20"],
    ["https://a.example/cb?x=1&", "https://a.example/cb?x=1&code=a%26b&state=%20"],
    ["com.example.app:/cb", "com.example.app:/cb?code=a%26b&state=%20"]
  ])("adds to %s and keeps what is registered", (uri, whole) => {
    const parameters = [
      ["code", "a&b"],
      ["state", " "]
    ] as const
    expect(RedirectUri.withQuery(uri, parameters)).toBe(whole)
  })
})
