import { describe, expect, it } from "vitest"
import { troubleWords } from "../../src/devices/TroubleWords.js"
import { textsIn } from "../../src/languages/index.js"

describe("what to check when no location has arrived [devices-13]", () => {
  const { network } = textsIn("en").devices.troubles
  const isAboutOwnNetwork = (host: string): boolean =>
    troubleWords("never_arrived", "owntracks", `http://${host}/v1/phone`, "en").checks.includes(network)

  it.each(["10.0.0.5:8080", "192.168.1.20", "172.16.0.1", "172.31.0.1", "server.local", "box.home.arpa", "nas.lan"])(
    "%s is reached from the user's own network only, and the page says so",
    (host) => expect(isAboutOwnNetwork(host)).toBe(true)
  )

  it.each(["example.com", "10.example.com", "192.168.example.com", "172.32.0.1", "11.0.0.1", "local.example.com"])(
    "%s may be reached from anywhere",
    (host) => expect(isAboutOwnNetwork(host)).toBe(false)
  )

  it("a browser has no address to check: its owner checks that the page is open and may read the location", () => {
    const { switchedOn } = textsIn("en").devices.troubles
    const { checks } = troubleWords("never_arrived", "browser", "http://192.168.1.20/v1/phone", "en")
    expect(checks).toEqual([switchedOn.browser])
  })
})
