import type { Device } from "./Device.js"

/** What the owner types, or scans, into the phone's app. Shown once, together with the token that it contains. */
export interface DeviceSetup {
  /** Where the phone sends its readings. */
  readonly address: string
  /** For a QR code. */
  readonly qrText: string
  /** In order, for people. */
  readonly steps: ReadonlyArray<string>
}

/** `baseUrl` is the API's, without a slash at its end. */
export const make = (device: Pick<Device, "id" | "format">, token: string, baseUrl: string): DeviceSetup => {
  switch (device.format) {
    case "json": {
      const address = `${baseUrl}/v1/phone/locations`
      return {
        address,
        qrText: JSON.stringify({ url: address, token, device_id: device.id }),
        steps: [
          "Open your app's upload settings, or scan the QR code with it.",
          `Send locations as JSON with POST to ${address}.`,
          "Send the header Authorization: Bearer followed by a space and the token. It is shown only once.",
          "When an upload fails, send it again later: nothing is stored twice."
        ]
      }
    }
  }
}
