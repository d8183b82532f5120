import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { parse } from "../../src/listen/options.js"

const refusal = (line: string): string =>
  Either.match(parse(line.split(" ")), { onLeft: (problem) => problem, onRight: () => "accepted" })

const options = (line: string) => {
  const command = Either.getOrThrow(parse(line === "" ? [] : line.split(" ")))
  return command._tag === "Listen" ? command.options : undefined
}

describe("npm run listen -- …", () => {
  it("without anything: a service on this machine, the only app, and events that are shown alone", () => {
    expect(options("")).toEqual({
      service: "http://localhost:8080",
      forward: undefined,
      app: undefined,
      endpoint: undefined,
      events: [],
      email: undefined,
      print: false
    })
  })

  it("reads every option", () => {
    const line =
      "--forward http://localhost:3000/hooks?a=b --app app_1 --events rule.fired,places.changed --print --service https://access.example.com/ --email me@example.com"
    expect(options(line)).toEqual({
      service: "https://access.example.com",
      forward: new URL("http://localhost:3000/hooks?a=b"),
      app: "app_1",
      endpoint: undefined,
      events: ["rule.fired", "places.changed"],
      email: "me@example.com",
      print: true
    })
    expect(options("--endpoint ep_1")?.endpoint).toBe("ep_1")
  })

  it("leads to this machine, unless it is said that it may leave it [listeners-6]", () => {
    for (const here of ["http://localhost:1", "https://127.0.0.1:1/a", "http://[::1]:1/", "http://127.1.2.3"]) {
      expect(options(`--forward ${here}`)?.forward?.href).toBe(new URL(here).href)
    }
    for (const elsewhere of [
      "http://example.com/",
      "http://10.0.0.1/",
      "http://localhost.example.com/",
      "http://0.0.0.0/"
    ]) {
      expect(refusal(`--forward ${elsewhere}`)).toContain("which is not this machine")
      expect(options(`--forward ${elsewhere} --forward-anywhere`)?.forward?.href).toBe(elsewhere)
    }
  })

  it("a password is never an argument: the refusal says how it is given, and does not repeat it [listeners-6]", () => {
    for (const line of ["--password hunter2", "--password=hunter2", "-p hunter2", "--pass hunter2"]) {
      expect(refusal(line)).toContain("PLACE_ACCESS_PASSWORD")
      expect(refusal(line)).not.toContain("hunter2")
    }
  })

  it.each([
    ["--forward localhost:3000", "--forward must be an address such as"],
    ["--forward http://me:secret@localhost/", "without credentials"],
    ["--forward ftp://localhost/", "--forward must be an address such as"],
    ["--service localhost:8080", "--service must be an address such as"],
    ["--events everything", "--events must be a list of rule.fired"],
    ["--events rule.fired --endpoint ep_1", "an endpoint has its own list"],
    ["--verbose", "--verbose"],
    ["stray", "stray"]
  ])("%s: says what is wrong", (line, words) => {
    expect(refusal(line)).toContain(words)
  })

  it("--help is help, whatever stands beside it", () => {
    expect(parse(["--help", "--app", "x"])).toEqual(Either.right({ _tag: "Help" }))
  })
})
