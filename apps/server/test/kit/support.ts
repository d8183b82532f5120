import { verify } from "@place-access/adapters-webhook/verify"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { client } from "../support/client.js"
import { shortCommandOf } from "../support/commandOf.js"
import { connect } from "../support/consent.js"
import {
  addDevice,
  createApp,
  createEndpoint,
  createPlace,
  createRule,
  RULES_SCOPE,
  signUp
} from "../support/people.js"
import { ridePast, upload } from "../support/phone.js"
import { type Receiver, signatureOf } from "../support/receiver.js"

/** Runs a command of the server until it ends. */
export const command = async (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) => {
  const { HOME = "", PATH = "" } = process.env
  const child = spawn(process.execPath, [...shortCommandOf("start"), ...args], {
    env: { HOME, PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")])
  return { code: code as number | null, stdout, stderr }
}

const PLACE = { label: "Home", lat: 52.37, lon: 4.9, radiusM: 150 }

/** The credentials of a user's app and phone. They must still work after the data was moved. */
export interface Life {
  readonly accessToken: string
  readonly deviceToken: string
  readonly secret: string
}

/** Makes an account with a phone, an app with an endpoint, and a rule, and returns the credentials. */
export const beginLife = async (url: string, receiver: Receiver): Promise<Life> => {
  const person = await signUp(url, "kit")
  const place = await createPlace(person, PLACE)
  const deviceToken = await addDevice(person)
  const app = await createApp(person, "https://app.example/callback")
  const { secret } = await createEndpoint(person, app, receiver.url)
  const { access_token: accessToken } = await connect(person, app, [RULES_SCOPE], { places: [place.id] })
  await createRule(client(url), accessToken, place, "enter")
  return { accessToken, deviceToken, secret }
}

/** Checks that a ride past the place fires the rule, and that the webhook is signed with the first secret. */
export const goesOn = async (url: string, { accessToken, deviceToken, secret }: Life, receiver: Receiver) => {
  const before = receiver.received.length
  const me = await client(url).call("GET", "/v1/me", { token: accessToken })
  await upload(client(url), deviceToken, ridePast(PLACE))
  const received = await receiver.until("a webhook", (all) => all.length > before, 30_000)
  const one = received[before]
  if (one === undefined) throw new Error("no webhook")
  const result = await verify({ payload: one.body, header: signatureOf(one), secrets: secret })
  return { me: me.status, verified: result.ok }
}
