import { Device } from "@place-access/domain/devices"
import { DeviceId, Timestamp } from "@place-access/domain/shared"
import { Encoding, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as DeviceSetup from "../../src/devices/DeviceSetup.js"
import * as OsmAnd from "../../src/fixes/OsmAnd.js"

const ID = DeviceId.make("dev_1")
const TOKEN = "pa_dv.usr_ada.secret-secret"
const PHONE = "https://api.example.com/v1/phone"

const setup = (format: Device.PhoneFormat, token = TOKEN, places: ReadonlyArray<DeviceSetup.SetupPlace> = []) =>
  DeviceSetup.make({ id: ID, format }, { token, baseUrl: "https://api.example.com", places })

const place = (label: string): DeviceSetup.SetupPlace => ({
  label,
  circle: { lat: 52.37, lon: 4.89, radiusM: 150 },
  createdAt: Timestamp.make(1_800_000_000_000)
})

/** The configuration that a link of OwnTracks contains. */
const configuration = (link: string | null) => {
  const text = Encoding.decodeBase64String(parameters(link ?? "")["inline"] ?? "")
  return (text._tag === "Right" ? JSON.parse(text.right) : {}) as {
    readonly waypoints?: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
}

const parameters = (address: string) => Object.fromEntries(new URL(address).searchParams)

/** Reads a file as `java.util.Properties.load` does: a key ends at `=`, `:` or a blank that has no backslash. */
const properties = (text: string) =>
  Object.fromEntries(
    text
      .trimEnd()
      .split("\n")
      .map((line) => {
        const [, key = "", value = ""] = /^((?:\\.|[^\\=: ])+)[=: ]((?:\\.|[^\\])*)$/.exec(line) ?? []
        return [key, value.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character))]
      })
  )

describe.each(Device.PhoneFormat.literals)("the setup of %s", (format) => {
  it("says where to send; what may be shown again does not contain the token, what is shown once does [devices-2]", () => {
    const { address, qrText, settings, steps } = setup(format)
    expect(address.startsWith(`${PHONE}/`)).toBe(true)
    expect([address, ...steps].join()).not.toContain(TOKEN)
    expect(settings.map(({ value }) => value).join()).toContain(TOKEN)
    expect(qrText).not.toBe("")
    expect(
      setup(format)
        .tuning.map(({ effect, value }) => effect + value)
        .join()
    ).not.toContain(TOKEN)
    const repeated = setup(format, "")
    expect([repeated.address, repeated.steps]).toEqual([address, steps])
  })
})

describe("how often an app sends [devices-16]", () => {
  const apps = Device.PhoneFormat.literals.filter((format) => format !== "browser")

  it.each(apps)("%s: each setting has a name, a value, and what it costs in battery", (format) => {
    const { tuning } = setup(format)
    expect(tuning.length).toBeGreaterThan(0)
    for (const { effect, name, value } of tuning) expect([name, value, effect]).not.toContain("")
    expect(tuning.map(({ effect }) => effect).join()).toMatch(/battery/)
  })

  // OsmAnd is left out, because it needs no setting that keeps the phone awake: while OsmAnd records, it sends its
  // position also when the phone does not move.
  it.each(apps.filter((format) => format !== "osmand"))(
    "%s: a setting keeps a phone that lies still awake",
    (format) => {
      const effects = setup(format).tuning.map(({ effect }) => effect)
      expect(effects.join()).toMatch(/lies still|nothing moved/)
    }
  )

  it("a browser has none: it sends while its page is open", () => {
    expect(setup("browser").tuning).toEqual([])
  })

  it("what the page names is what the link sets", () => {
    const shown = (format: Device.PhoneFormat) =>
      Object.fromEntries(setup(format).tuning.map(({ name, value }) => [name, value]))
    const { link } = setup("owntracks")
    expect(configuration(link)).toMatchObject({ ping: 15, locatorDisplacement: 100, locatorInterval: 300 })
    expect(shown("owntracks")).toMatchObject({ ping: "15", locatorDisplacement: "100", locatorInterval: "300" })
    expect(parameters(setup("traccar").qrText)).toMatchObject({ distance: "50", heartbeat: "600" })
    expect(shown("traccar")).toMatchObject({ Distance: "50", "Stationary heartbeat": "600" })
  })
})

describe("what the apps define", () => {
  it("Overland: the steps say to open the app before the link, because a link does not start it [devices-13-overland]", () => {
    const { steps } = setup("overland")
    const [open, link] = ["Open Overland once, and leave it open", "open the link"].map((words) =>
      steps.findIndex((step) => step.includes(words))
    )
    expect(open).toBeGreaterThan(0)
    expect(link).toBeGreaterThan(open ?? 0)
  })

  it("Overland: a link with the address, the token and the device", () => {
    const { address, link, qrText } = setup("overland")
    expect(link).toBe(qrText)
    expect(link).toMatch(/^overland:\/\/setup\?/)
    expect(parameters(qrText)).toEqual({ url: address, token: TOKEN, device_id: ID })
  })

  it("OwnTracks: a configuration for HTTP in standard base64, without an encryption key", () => {
    const { address, link, qrText } = setup("owntracks")
    expect(link).toBe(qrText)
    expect(link).toMatch(/^owntracks:\/\/\/config\?inline=[A-Za-z0-9%]+$/)
    expect(configuration(link)).toEqual({
      _type: "configuration",
      mode: 3,
      url: address,
      auth: true,
      username: ID,
      password: TOKEN,
      deviceId: "phone",
      tid: "me",
      encryptionKey: "",
      monitoring: 1,
      ping: 15,
      locatorDisplacement: 100,
      locatorInterval: 300
    })
  })

  it("OwnTracks: the owner's places are waypoints with a time of their own; a code has as many as a camera reads [devices-13-owntracks]", () => {
    const { link, qrText } = setup("owntracks", TOKEN, [place("Home"), place("Office")])
    expect(qrText).toBe(link)
    expect(configuration(link).waypoints).toEqual([
      { _type: "waypoint", desc: "Home", lat: 52.37, lon: 4.89, rad: 150, tst: 1_800_000_000 },
      { _type: "waypoint", desc: "Office", lat: 52.37, lon: 4.89, rad: 150, tst: 1_800_000_001 }
    ])

    const many = setup(
      "owntracks",
      TOKEN,
      Array.from({ length: 50 }, (_, index) => place(`Place ${index}`))
    )
    expect(configuration(many.link).waypoints).toHaveLength(20)
    expect(many.qrText.length).toBeLessThanOrEqual(1_200)
    expect(configuration(many.qrText).waypoints?.length).toBeGreaterThan(2)
    const longNames = setup("owntracks", TOKEN, [place("é".repeat(800))])
    expect(configuration(longNames.qrText).waypoints).toBeUndefined()
    expect(configuration(longNames.link).waypoints).toHaveLength(1)
  })

  it("OwnTracks: no two places have the same time, in whatever order and second they were made, and a place has the same time in the link and in the code [devices-13-owntracks]", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 25 }), (ages) => {
        const places = ages.map((age, index) => ({
          ...place(`Place ${index}`),
          createdAt: Timestamp.make(1_800_000_000_000 - age)
        }))
        const { link, qrText } = setup("owntracks", TOKEN, places)
        const times = (text: string | null) => (configuration(text).waypoints ?? []).map(({ tst }) => tst)
        expect(new Set(times(link)).size).toBe(Math.min(places.length, 20))
        expect(times(link).slice(0, times(qrText).length)).toEqual(times(qrText))
        // When several places were made in one second, the first place has this second as its time.
        expect(times(link)[0]).toBe(
          ages[0] === undefined ? undefined : Math.floor((1_800_000_000_000 - ages[0]) / 1_000)
        )
      })
    )
  })

  it("Traccar Client: an address whose path is the server's, and a link, both with the id and what a circle of 150 m needs [devices-13-traccar]", () => {
    const { address, link, qrText } = setup("traccar")
    const settings = { id: TOKEN, accuracy: "high", distance: "50", heartbeat: "600", buffer: "true" }
    expect(new URL(qrText).origin + new URL(qrText).pathname).toBe(address)
    expect(parameters(qrText)).toEqual(settings)
    expect(link).toMatch(/^org\.traccar\.client:\/\/\?/)
    expect(parameters(link ?? "")).toEqual({ url: address, ...settings })
  })

  it("OsmAnd: a web address in which {3} is the accuracy; it is read as such [devices-13-osmand]", () => {
    const { link, qrText, settings } = setup("osmand")
    expect(link).toBeNull()
    expect(settings).toEqual([{ name: "Web address", value: qrText }])
    // The values are filled in as OsmAnd does it, with java.text.MessageFormat.
    const values = ["52.37", "4.89", "1800000000000", "14.5", "12.0", "1.5", "271.0"]
    const query = qrText
      .slice(qrText.indexOf("?") + 1)
      .replace(/\{(\d)\}/g, (_, index: string) => values[Number(index)] ?? "")
    const sent = OsmAnd.requestOf(query, "", undefined)
    expect(OsmAnd.deviceId(sent)).toBe(TOKEN)
    expect(OsmAnd.entries(sent).flatMap(OsmAnd.decode(sent.query, Timestamp.make(0)))).toEqual([
      {
        capturedAt: 1_800_000_000_000,
        lat: 52.37,
        lon: 4.89,
        accuracyM: 14.5,
        altitudeM: 12,
        speedMps: 1.5,
        courseDeg: 271
      }
    ])
  })

  it("GPSLogger: the token goes in a header, never in the address that the app logs", () => {
    const settings = Object.fromEntries(setup("gpslogger").settings.map(({ name, value }) => [name, value]))
    expect(settings["URL"]).toBe(`${PHONE}/osmand`)
    expect(settings["HTTP Headers"]).toContain(`Authorization: Bearer ${TOKEN}`)
    expect(settings["HTTP Body"]).not.toContain(TOKEN)
  })

  it("GPSLogger: a link to a profile that java.util.Properties reads back to the same settings [devices-14]", () => {
    const options = { token: TOKEN, baseUrl: "https://api.example.com", setupKey: "pa_ds.usr_ada.key" }
    const { link, qrText, settings } = DeviceSetup.make({ id: ID, format: "gpslogger" }, options)
    expect(qrText).toBe("https://api.example.com/set-up/gpslogger?key=pa_ds.usr_ada.key")
    expect(link).toBe(
      "gpslogger://properties/https://api.example.com/set-up/place-access.properties?key=pa_ds.usr_ada.key"
    )
    const profile = properties(DeviceSetup.gpsLoggerProfile("https://api.example.com", TOKEN))
    const byName = Object.fromEntries(settings.map(({ name, value }) => [name, value]))
    expect(profile).toEqual({
      log_customurl_enabled: "true",
      log_customurl_url: byName["URL"],
      log_customurl_method: "POST",
      log_customurl_headers: byName["HTTP Headers"],
      log_customurl_body: byName["HTTP Body"],
      time_before_logging: "120",
      distance_before_logging: "0",
      accuracy_before_logging: "100",
      startonbootup: "true"
    })
  })

  it("our own JSON: an object with the address, the token and the device", () => {
    const { address, qrText } = setup("json")
    expect(JSON.parse(qrText)).toEqual({ url: address, token: TOKEN, device_id: ID })
  })
})
