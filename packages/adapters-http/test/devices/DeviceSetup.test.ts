import { Device } from "@place-access/domain/devices"
import { DeviceId } from "@place-access/domain/shared"
import { Encoding } from "effect"
import { describe, expect, it } from "vitest"
import * as DeviceSetup from "../../src/devices/DeviceSetup.js"

const ID = DeviceId.make("dev_1")
const TOKEN = "pa_dv.usr_ada.secret-secret"
const PHONE = "https://api.example.com/v1/phone"

const setup = (format: Device.PhoneFormat, token = TOKEN) =>
  DeviceSetup.make({ id: ID, format }, token, "https://api.example.com")

const parameters = (address: string) => Object.fromEntries(new URL(address).searchParams)

describe.each(Device.PhoneFormat.literals)("the setup of %s", (format) => {
  it("says where to send; what may be shown again does not contain the token, what is shown once does [devices-2]", () => {
    const { address, qrText, settings, steps } = setup(format)
    expect(address.startsWith(`${PHONE}/`)).toBe(true)
    expect([address, ...steps].join()).not.toContain(TOKEN)
    expect(settings.map(({ value }) => value).join()).toContain(TOKEN)
    expect(qrText).not.toBe("")
    const again = setup(format, "")
    expect([again.address, again.steps]).toEqual([address, steps])
  })
})

describe("what the apps define", () => {
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
    const { inline = "" } = parameters(qrText)
    const text = Encoding.decodeBase64String(inline)
    expect(text._tag === "Right" && JSON.parse(text.right)).toEqual({
      _type: "configuration",
      mode: 3,
      url: address,
      auth: true,
      username: ID,
      password: TOKEN,
      deviceId: "phone",
      tid: "me",
      encryptionKey: ""
    })
  })

  it("Traccar Client: an address whose path is the server's and whose id is the token", () => {
    const { address, link, qrText } = setup("osmand")
    expect(link).toBeNull()
    expect(new URL(qrText).origin + new URL(qrText).pathname).toBe(address)
    expect(parameters(qrText)).toEqual({ id: TOKEN })
  })

  it("GPSLogger: the token goes in a header, never in the address that the app logs", () => {
    const settings = Object.fromEntries(setup("gpslogger").settings.map(({ name, value }) => [name, value]))
    expect(settings["URL"]).toBe(`${PHONE}/osmand`)
    expect(settings["HTTP Headers"]).toContain(`Authorization: Bearer ${TOKEN}`)
    expect(settings["HTTP Body"]).not.toContain(TOKEN)
  })

  it("our own JSON: an object with the address, the token and the device", () => {
    const { address, qrText } = setup("json")
    expect(JSON.parse(qrText)).toEqual({ url: address, token: TOKEN, device_id: ID })
  })
})
