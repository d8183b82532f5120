import { Mail } from "@place-access/worker"
import { resolve } from "node:path"
import * as NpmScripts from "./NpmScripts.js"
import type { ServerSettings } from "./ServerSettings.js"

/** The text for a person who has just started the server: the addresses of the service, and what to do next. */
export const welcome = ({ addresses, host, mail, storage }: ServerSettings): string => {
  const { baseUrl, userPortalUrl } = addresses
  const data =
    storage._tag === "Embedded"
      ? `Your data is in ${resolve(storage.dataDir)}. Only one process can use that folder; set DATABASE_URL to grow.`
      : "Your data is in PostgreSQL. Webhooks are sent by workers: npm run worker."
  const mailbox = Mail.hasMailbox(mail, addresses, host)
    ? `\n    No e-mail is sent. Read the messages at       ${baseUrl}/dev/mailbox`
    : ""
  return NpmScripts.onlyThere(`
  Place-Aware Access Service is ready.

    Users and developers sign up and sign in at   ${baseUrl}
    Users see their log, apps and places at       ${userPortalUrl}
    The API, for programs                         ${baseUrl}/v1${mailbox}

  ${data}

  To make yourself the admin, run in another terminal:
    npm start -- account create --email you@example.com --role admin

  To see the service at work with a recorded ride:  npm run demo
  To stop:  Control-C
`)
}
