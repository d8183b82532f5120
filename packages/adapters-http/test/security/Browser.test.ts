import { nameOf } from "@place-access/adapters-http/security/Browser"
import { describe, expect, it } from "vitest"

describe("what a User-Agent header says", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "Firefox on Linux"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
      "Safari on iOS"
    ],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
      "Chrome on Windows"
    ],
    [
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
      "Chrome on Android"
    ]
  ])("%s", (header, words) => {
    expect(nameOf(header)).toBe(words)
  })

  it("nothing known: null, so that the list shows no text of a stranger's choice", () => {
    for (const header of [undefined, "", "<script>alert(1)</script>", "\u202e", " ".repeat(10_000)]) {
      expect(nameOf(header)).toBeNull()
    }
    // The library uses the text before the last slash as the name of a browser, if a blank follows the version.
    for (const header of ["evil/1.0", "evil/1.0 x", "Call 0900-123456/1 (x)"]) {
      expect(nameOf(header)).toBeNull()
    }
    expect(nameOf("Call 0900-123456/1 (Linux)")).toBe("Linux")
    expect(nameOf("Firefox. Call 0900-123456/1 (x)")).toBe("Firefox")
  })

  it("a header of 16 KiB is read as fast as a short one: only its beginning is read", () => {
    const long = `Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0${"(a/".repeat(5_000)}`
    expect(nameOf(long)).toBe("Firefox on Linux")
  })
})
